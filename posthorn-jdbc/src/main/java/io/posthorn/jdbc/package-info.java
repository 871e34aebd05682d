/**
 * Posthorn on relational databases: the message store, its dialects, and thread-bound transactions.
 */
@NullMarked
package io.posthorn.jdbc;

import org.jspecify.annotations.NullMarked;

/** Statements, grouped by the step of a message's way that they serve. */
@NullMarked
package io.posthorn.jdbc.internal;

import org.jspecify.annotations.NullMarked;

/** Databases, and ways to use them, that join the contracts of stores. */
package io.posthorn.jdbc.contract;

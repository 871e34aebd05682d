/** The SQL of databases that no server here runs, read by parsers that are not theirs. */
package io.posthorn.jdbc.sql;

/** How the tables are created, named and checked, on each database. */
package io.posthorn.jdbc.schema;

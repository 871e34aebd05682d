/** What docs/new-database.md says a database must be able to do, asked of databases. */
package io.posthorn.jdbc.newdatabase;

/** What the database tells of its state, on real servers. */
package io.posthorn.jdbc.health;

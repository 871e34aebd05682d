package io.posthorn.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;

/** Something done with a connection. */
@FunctionalInterface
interface SqlWork<T> {
  T with(Connection connection) throws SQLException;
}

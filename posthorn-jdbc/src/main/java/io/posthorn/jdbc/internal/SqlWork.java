/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;

/** Something done with a connection. */
@FunctionalInterface
interface SqlWork<T> {
  T with(Connection connection) throws SQLException;
}

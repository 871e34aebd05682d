/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What dialects have in common that store times in UTC, in columns that know no zone, and ids as
 * their 16 bytes. They have no arrays, and make no tables unless asked.
 *
 * @since 0.1
 */
public abstract class UtcDialect implements Dialect {
  @Override
  public boolean hasArrays() {
    return false;
  }

  @Override
  public void bindTime(PreparedStatement statement, int parameter, Instant time)
      throws SQLException {
    statement.setObject(parameter, LocalDateTime.ofInstant(time, ZoneOffset.UTC));
  }

  @Override
  public @Nullable Instant time(ResultSet row, int column) throws SQLException {
    LocalDateTime time = row.getObject(column, LocalDateTime.class);
    return time == null ? null : time.toInstant(ZoneOffset.UTC);
  }

  @Override
  public int timeType() {
    return Types.TIMESTAMP;
  }

  @Override
  public void bindId(PreparedStatement statement, int parameter, UUID id) throws SQLException {
    statement.setBytes(
        parameter,
        ByteBuffer.allocate(2 * Long.BYTES)
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits())
            .array());
  }

  @Override
  public UUID id(ResultSet row, int column) throws SQLException {
    ByteBuffer bytes = ByteBuffer.wrap(row.getBytes(column));
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  @Override
  public boolean createsTablesByDefault() {
    return false;
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.ShardingKey;
import java.sql.Statement;
import java.sql.Struct;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;

/**
 * Passes everything on that has nothing to do with the end of a transaction. Plain calls: by a
 * dynamic proxy each call of a program would go through reflection, and take longer to compile.
 */
abstract class ForwardingConnection implements Connection {
  private final Connection to;

  ForwardingConnection(Connection to) {
    this.to = to;
  }

  @Override
  public Statement createStatement() throws SQLException {
    return to.createStatement();
  }

  @Override
  public PreparedStatement prepareStatement(String sql) throws SQLException {
    return to.prepareStatement(sql);
  }

  @Override
  public CallableStatement prepareCall(String sql) throws SQLException {
    return to.prepareCall(sql);
  }

  @Override
  public String nativeSQL(String sql) throws SQLException {
    return to.nativeSQL(sql);
  }

  @Override
  public boolean getAutoCommit() throws SQLException {
    return to.getAutoCommit();
  }

  @Override
  public boolean isClosed() throws SQLException {
    return to.isClosed();
  }

  @Override
  public DatabaseMetaData getMetaData() throws SQLException {
    return to.getMetaData();
  }

  @Override
  public void setReadOnly(boolean readOnly) throws SQLException {
    to.setReadOnly(readOnly);
  }

  @Override
  public boolean isReadOnly() throws SQLException {
    return to.isReadOnly();
  }

  @Override
  public void setCatalog(String catalog) throws SQLException {
    to.setCatalog(catalog);
  }

  @Override
  public String getCatalog() throws SQLException {
    return to.getCatalog();
  }

  @Override
  public void setTransactionIsolation(int level) throws SQLException {
    to.setTransactionIsolation(level);
  }

  @Override
  public int getTransactionIsolation() throws SQLException {
    return to.getTransactionIsolation();
  }

  @Override
  public SQLWarning getWarnings() throws SQLException {
    return to.getWarnings();
  }

  @Override
  public void clearWarnings() throws SQLException {
    to.clearWarnings();
  }

  @Override
  public Statement createStatement(int type, int concurrency) throws SQLException {
    return to.createStatement(type, concurrency);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int type, int concurrency)
      throws SQLException {
    return to.prepareStatement(sql, type, concurrency);
  }

  @Override
  public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
    return to.prepareCall(sql, type, concurrency);
  }

  @Override
  public Map<String, Class<?>> getTypeMap() throws SQLException {
    return to.getTypeMap();
  }

  @Override
  public void setTypeMap(Map<String, Class<?>> map) throws SQLException {
    to.setTypeMap(map);
  }

  @Override
  public void setHoldability(int holdability) throws SQLException {
    to.setHoldability(holdability);
  }

  @Override
  public int getHoldability() throws SQLException {
    return to.getHoldability();
  }

  @Override
  public Statement createStatement(int type, int concurrency, int holdability) throws SQLException {
    return to.createStatement(type, concurrency, holdability);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holdability)
      throws SQLException {
    return to.prepareStatement(sql, type, concurrency, holdability);
  }

  @Override
  public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability)
      throws SQLException {
    return to.prepareCall(sql, type, concurrency, holdability);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int keys) throws SQLException {
    return to.prepareStatement(sql, keys);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, int[] columns) throws SQLException {
    return to.prepareStatement(sql, columns);
  }

  @Override
  public PreparedStatement prepareStatement(String sql, String[] columns) throws SQLException {
    return to.prepareStatement(sql, columns);
  }

  @Override
  public Clob createClob() throws SQLException {
    return to.createClob();
  }

  @Override
  public Blob createBlob() throws SQLException {
    return to.createBlob();
  }

  @Override
  public NClob createNClob() throws SQLException {
    return to.createNClob();
  }

  @Override
  public SQLXML createSQLXML() throws SQLException {
    return to.createSQLXML();
  }

  @Override
  public boolean isValid(int timeout) throws SQLException {
    return to.isValid(timeout);
  }

  @Override
  public void setClientInfo(String name, String value) throws SQLClientInfoException {
    to.setClientInfo(name, value);
  }

  @Override
  public void setClientInfo(Properties properties) throws SQLClientInfoException {
    to.setClientInfo(properties);
  }

  @Override
  public String getClientInfo(String name) throws SQLException {
    return to.getClientInfo(name);
  }

  @Override
  public Properties getClientInfo() throws SQLException {
    return to.getClientInfo();
  }

  @Override
  public Array createArrayOf(String type, Object[] elements) throws SQLException {
    return to.createArrayOf(type, elements);
  }

  @Override
  public Struct createStruct(String type, Object[] attributes) throws SQLException {
    return to.createStruct(type, attributes);
  }

  @Override
  public void setSchema(String schema) throws SQLException {
    to.setSchema(schema);
  }

  @Override
  public String getSchema() throws SQLException {
    return to.getSchema();
  }

  @Override
  public void abort(Executor executor) throws SQLException {
    to.abort(executor);
  }

  @Override
  public void setNetworkTimeout(Executor executor, int millis) throws SQLException {
    to.setNetworkTimeout(executor, millis);
  }

  @Override
  public int getNetworkTimeout() throws SQLException {
    return to.getNetworkTimeout();
  }

  @Override
  public void beginRequest() throws SQLException {
    to.beginRequest();
  }

  @Override
  public void endRequest() throws SQLException {
    to.endRequest();
  }

  @Override
  public boolean setShardingKeyIfValid(ShardingKey key, ShardingKey superKey, int timeout)
      throws SQLException {
    return to.setShardingKeyIfValid(key, superKey, timeout);
  }

  @Override
  public boolean setShardingKeyIfValid(ShardingKey key, int timeout) throws SQLException {
    return to.setShardingKeyIfValid(key, timeout);
  }

  @Override
  public void setShardingKey(ShardingKey key, ShardingKey superKey) throws SQLException {
    to.setShardingKey(key, superKey);
  }

  @Override
  public void setShardingKey(ShardingKey key) throws SQLException {
    to.setShardingKey(key);
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return to.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return to.isWrapperFor(type);
  }

  @Override
  public String toString() {
    return to.toString();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.sql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Notes the SQL that it is given, and answers each query with one row of plausible values. It knows
 * nothing of any database.
 */
final class RecordingDriver {
  private final Set<String> texts = new LinkedHashSet<>();
  private final Map<String, List<Object>> answers;

  /**
   * @param answers first columns of the rows of queries that contain a text; if it has none, the
   *     query has no row
   */
  RecordingDriver(Map<String, List<Object>> answers) {
    this.answers = answers;
  }

  /** What was to be run so far. */
  Set<String> texts() {
    return texts;
  }

  DataSource dataSource() {
    return proxy(
        DataSource.class,
        (self, method, arguments) ->
            method.getName().equals("getConnection")
                ? connection()
                : nothing(method.getReturnType()));
  }

  private Connection connection() {
    return proxy(
        Connection.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "prepareStatement" -> statement((Connection) self, (String) arguments[0]);
              case "createStatement" -> statement((Connection) self, "");
              case "getMetaData" -> metaData();
              case "getTransactionIsolation" -> Connection.TRANSACTION_READ_COMMITTED;
              default -> nothing(method.getReturnType());
            });
  }

  private DatabaseMetaData metaData() {
    return proxy(
        DatabaseMetaData.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "getTables" -> table((String) arguments[2]);
              case "getPrimaryKeys" -> inboxKey();
              case "getSearchStringEscape" -> "!";
              case "getDatabaseMajorVersion" -> 23;
              default -> nothing(method.getReturnType());
            });
  }

  private PreparedStatement statement(Connection connection, String prepared) {
    String[] last = {prepared};
    return proxy(
        PreparedStatement.class,
        (self, method, arguments) -> {
          if (method.getName().startsWith("execute") || method.getName().equals("addBatch")) {
            last[0] = arguments == null ? last[0] : (String) arguments[0];
            texts.add(last[0]);
          }
          return switch (method.getName()) {
            case "executeQuery", "getResultSet", "getGeneratedKeys" -> rows(last[0]);
            case "executeUpdate" -> 1;
            case "executeBatch" -> new int[0];
            case "getConnection" -> connection;
            default -> nothing(method.getReturnType());
          };
        });
  }

  private ResultSet rows(String sql) {
    int[] read = {0};
    return proxy(
        ResultSet.class,
        (self, method, arguments) -> {
          Object answer = answer(sql, arguments);
          return switch (method.getName()) {
            case "next" -> read[0]++ == 0 && !isEmpty(sql);
            case "getInt" -> answer == null ? 1 : ((Number) answer).intValue();
            case "getLong" -> answer == null ? 1L : ((Number) answer).longValue();
            case "getString" -> answer == null ? "x" : answer.toString();
            case "getBytes" -> new byte[16];
            case "getObject" -> arguments.length == 1 ? null : value((Class<?>) arguments[1]);
            default -> nothing(method.getReturnType());
          };
        });
  }

  /** There is each table that is asked for. */
  private static ResultSet table(String name) {
    int[] read = {0};
    return proxy(
        ResultSet.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "next" -> read[0]++ == 0;
              case "getString" -> "TABLE_NAME".equals(arguments[0]) ? name : null;
              default -> nothing(method.getReturnType());
            });
  }

  private static ResultSet inboxKey() {
    Iterator<String> columns = List.of("consumer", "message_id").iterator();
    return proxy(
        ResultSet.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "next" -> columns.hasNext();
              case "getString" -> columns.next();
              default -> nothing(method.getReturnType());
            });
  }

  private boolean isEmpty(String sql) {
    return answers.entrySet().stream()
        .anyMatch(entry -> sql.contains(entry.getKey()) && entry.getValue().isEmpty());
  }

  private Object answer(String sql, Object[] arguments) {
    if (arguments == null || !(arguments[0] instanceof Integer column)) {
      return null;
    }
    return answers.entrySet().stream()
        .filter(entry -> sql.contains(entry.getKey()) && column <= entry.getValue().size())
        .map(entry -> entry.getValue().get(column - 1))
        .findFirst()
        .orElse(null);
  }

  private static Object value(Class<?> type) {
    LocalDateTime time = LocalDateTime.of(2026, 1, 1, 0, 0);
    return type == UUID.class
        ? new UUID(1, 2)
        : type == LocalDateTime.class ? time : time.atOffset(ZoneOffset.UTC);
  }

  private static Object nothing(Class<?> type) {
    if (type == boolean.class) {
      return false;
    }
    if (type == int.class) {
      return 0;
    }
    return type == long.class ? 0L : null;
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            RecordingDriver.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}

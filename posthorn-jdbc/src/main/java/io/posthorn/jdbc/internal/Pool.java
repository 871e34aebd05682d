/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.ConfigurationException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A connection pool, as far as it tells its size. Found by name: there are many, and none of them
 * is needed here.
 *
 * @param size how many connections it has at the most
 */
record Pool(int size) {
  /** Of HikariCP, DBCP, Tomcat, c3p0, H2 and Agroal: calls, each on what the one before gave. */
  private static final List<List<String>> SIZES =
      List.of(
          List.of("getMaximumPoolSize"),
          List.of("getMaxTotal"),
          List.of("getMaxActive"),
          List.of("getMaxPoolSize"),
          List.of("getMaxConnections"),
          List.of("getConfiguration", "connectionPoolConfiguration", "maxSize"));

  private static final int MAX_WRAPPERS = 5;

  static final String EXHAUSTED = "no free connection in the pool";

  /** Looks through the wrappers of Spring. Empty if it is no pool, or has no limit. */
  static Optional<Pool> of(DataSource dataSource) {
    Object candidate = dataSource;
    for (int i = 0; i < MAX_WRAPPERS; i++) {
      for (List<String> calls : SIZES) {
        if (call(candidate, calls).orElse(null) instanceof Integer size && size > 0) {
          return Optional.of(new Pool(size));
        }
      }
      Optional<Object> target = call(candidate, "getTargetDataSource");
      if (target.isEmpty()) {
        return Optional.empty();
      }
      candidate = target.get();
    }
    return Optional.empty();
  }

  /**
   * What to say of a pool that had none left, with its size if that is known.
   *
   * @param kept how many of them are kept here
   */
  static String exhausted(DataSource dataSource, int kept) {
    String ofThem = kept == 0 ? "" : ", Posthorn holds " + kept;
    return EXHAUSTED + of(dataSource).map(pool -> " (size " + pool.size + ofThem + ")").orElse("");
  }

  private static Optional<Object> call(Object target, List<String> methods) {
    Optional<Object> found = Optional.of(target);
    for (String method : methods) {
      found = found.flatMap(one -> call(one, method));
    }
    return found;
  }

  private static Optional<Object> call(Object target, String name) {
    try {
      Method method = target.getClass().getMethod(name);
      return method.trySetAccessible() // its class may not be public, though its interface is
          ? Optional.ofNullable(method.invoke(target))
          : Optional.empty();
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
      return Optional.empty();
    }
  }

  /**
   * Refuses a pool that a relay would use up.
   *
   * @throws ConfigurationException with the arithmetic
   */
  void require(int kept) {
    if (size <= kept) {
      throw new ConfigurationException(
          List.of(
              "the relay keeps %d connections and the application needs at least one more, but the pool has %d; let it have %d or more, or let the relay have connections outside of it (JdbcMessageStore.builder(…).relayConnections)"
                  .formatted(kept, size, kept + 1)));
    }
  }
}

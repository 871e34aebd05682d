/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a program calls on the connection of its transaction reaches the driver as it is. */
class ForwardingConnectionTest {
  private static final Set<String> ENDS_TRANSACTIONS =
      Set.of("commit", "rollback", "close", "setAutoCommit", "setSavepoint", "releaseSavepoint");

  private static final Map<Class<?>, Object> VALUES =
      Map.of(int.class, 7, boolean.class, true, String.class, "s", Class.class, Connection.class);

  static Stream<Method> passedOn() {
    return Arrays.stream(Connection.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> !ENDS_TRANSACTIONS.contains(method.getName()));
  }

  @ParameterizedTest
  @MethodSource("passedOn")
  void eachCallIsPassedOn(Method method) throws Exception {
    List<Object> called = new ArrayList<>();
    Object[] arguments = arguments(method);
    Object result =
        method.invoke(
            connection(
                (asked, given) -> {
                  called.add(asked);
                  called.addAll(Arrays.asList(given));
                  return VALUES.get(asked.getReturnType());
                }),
            arguments);

    assertThat(called.get(0)).isEqualTo(method);
    assertThat(called.subList(1, called.size())).containsExactly(arguments);
    assertThat(result).isEqualTo(VALUES.get(method.getReturnType()));
  }

  @ParameterizedTest
  @MethodSource("passedOn")
  void failuresComeAsTheyAre(Method method) throws Exception {
    SQLException failure = new SQLClientInfoException();
    Connection failing =
        connection(
            (asked, given) -> {
              throw failure;
            });

    assertThatThrownBy(() -> method.invoke(failing, arguments(method)))
        .isInstanceOf(InvocationTargetException.class)
        .cause()
        .isSameAs(failure);
  }

  @FunctionalInterface
  private interface Driver {
    Object answer(Method method, Object[] arguments) throws SQLException;
  }

  private static Connection connection(Driver driver) {
    Connection target =
        (Connection)
            Proxy.newProxyInstance(
                ForwardingConnectionTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, given) ->
                    driver.answer(method, given == null ? new Object[0] : given));
    return new ForwardingConnection(target) {
      @Override
      public void commit() {}

      @Override
      public void rollback() {}

      @Override
      public void rollback(Savepoint savepoint) {}

      @Override
      public void close() {}

      @Override
      public void setAutoCommit(boolean autoCommit) {}

      @Override
      public Savepoint setSavepoint() {
        throw new UnsupportedOperationException();
      }

      @Override
      public Savepoint setSavepoint(String name) {
        throw new UnsupportedOperationException();
      }

      @Override
      public void releaseSavepoint(Savepoint savepoint) {}
    };
  }

  private static Object[] arguments(Method method) {
    return Arrays.stream(method.getParameterTypes()).map(VALUES::get).toArray();
  }
}

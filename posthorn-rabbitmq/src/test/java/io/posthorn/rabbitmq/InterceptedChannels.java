/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConfirmCallback;
import com.rabbitmq.client.Connection;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Connections of which the calls of channels go through the test. */
final class InterceptedChannels {
  private InterceptedChannels() {}

  /** What becomes of a call. */
  @FunctionalInterface
  interface Call {
    Object invoke(Channel channel, Method method, Object[] arguments) throws Exception;
  }

  static Connection of(Connection connection, Call call) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          Object result = method.invoke(connection, arguments);
          return method.getName().equals("openChannel")
              ? ((Optional<?>) result).map(channel -> of((Channel) channel, call))
              : result;
        };
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, handler);
  }

  private static Channel of(Channel channel, Call call) {
    InvocationHandler handler =
        (proxy, method, arguments) -> call.invoke(channel, method, arguments);
    return (Channel)
        Proxy.newProxyInstance(
            Channel.class.getClassLoader(), new Class<?>[] {Channel.class}, handler);
  }

  /** The answers about one exchange are held back, as if its queue confirmed nothing. */
  static Connection silenced(Connection connection, String exchange) {
    return silenced(connection, Set.of(exchange));
  }

  /**
   * As {@link #silenced(Connection, String)}, of several.
   *
   * @param exchanges may change; what is published to one of them while it is in there makes the
   *     whole channel silent
   */
  static Connection silenced(Connection connection, Set<String> exchanges) {
    Set<Channel> silenced = ConcurrentHashMap.newKeySet();
    return of(
        connection,
        (channel, method, arguments) -> {
          if (method.getName().equals("basicPublish")
              && exchanges.contains((String) arguments[0])) {
            silenced.add(channel);
          }
          if (method.getName().equals("addConfirmListener")) {
            ConfirmCallback acks = (ConfirmCallback) arguments[0];
            return channel.addConfirmListener(
                (number, andBefore) -> {
                  if (!silenced.contains(channel)) {
                    acks.handle(number, andBefore);
                  }
                },
                (ConfirmCallback) arguments[1]);
          }
          return method.invoke(channel, arguments);
        });
  }
}

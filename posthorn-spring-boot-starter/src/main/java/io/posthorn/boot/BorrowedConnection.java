/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the application's. Whoever borrows it closes only the channels that it opened.
 */
final class BorrowedConnection implements InvocationHandler {
  private static final Set<String> ENDS = Set.of("close", "abort");

  private final Connection connection;
  private final List<Channel> channels = new CopyOnWriteArrayList<>();

  private BorrowedConnection(Connection connection) {
    this.connection = connection;
  }

  static Connection of(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            new BorrowedConnection(connection));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (ENDS.contains(method.getName())) {
      closeChannels();
      return null;
    }
    try {
      Object result = method.invoke(connection, arguments);
      noteChannel(result);
      return result;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private void noteChannel(@Nullable Object result) {
    channels.removeIf(channel -> !channel.isOpen());
    if (result instanceof Channel channel) {
      channels.add(channel);
    } else if (result instanceof Optional<?> some && some.orElse(null) instanceof Channel channel) {
      channels.add(channel);
    }
  }

  private void closeChannels() throws IOException {
    for (Channel channel : channels) {
      channel.abort();
    }
    channels.clear();
  }
}

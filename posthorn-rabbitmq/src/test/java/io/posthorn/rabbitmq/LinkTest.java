/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import static io.posthorn.rabbitmq.Sendings.outcome;
import static io.posthorn.rabbitmq.Sendings.small;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.posthorn.DestinationDownException;
import io.posthorn.spi.Ticker;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What threads that meet in a link do to each other, in an order that the test gives. */
@Timeout(120)
class LinkTest {
  private final Exchange exchange = Exchange.create();

  private static Link over(Connection connection) {
    return Link.over(connection, suspects -> {}, again -> {}, Ticker.system());
  }

  private static Pending pending(String exchange) {
    return new Pending(AmqpMessage.of(small(exchange)), Ticker.system().nanos());
  }

  /** As it is if the channel that it was published on is taken away from it. */
  @Test
  void theFirstMessageToAnExchangeDoesNotWaitForItselfWhenItComesBack() throws Exception {
    List<Object> published = new ArrayList<>();
    try (Connection connection = Exchange.factory().newConnection()) {
      Link link =
          over(
              InterceptedChannels.of(
                  connection,
                  (channel, method, arguments) -> {
                    if (method.getName().equals("basicPublish")) {
                      published.add(arguments[0]);
                      return published.size() == 1 ? null : method.invoke(channel, arguments);
                    }
                    return method.invoke(channel, arguments);
                  }));
      Pending first = pending(exchange.name());
      link.publish(first);
      link.publish(first);

      assertThat(published).hasSize(2);
      assertThat(outcome(first.answer())).isNull();
    }
  }

  /** A connection that others use is not closed with the link. */
  @Test
  void aChannelThatIsOpenedWhileTheLinkIsGivenUpIsClosed() throws Exception {
    List<Channel> opened = new CopyOnWriteArrayList<>();
    AtomicReference<Link> link = new AtomicReference<>();
    try (Connection connection = Exchange.factory().newConnection()) {
      Connection lent =
          (Connection)
              Proxy.newProxyInstance(
                  Connection.class.getClassLoader(),
                  new Class<?>[] {Connection.class},
                  (proxy, method, arguments) ->
                      method.getName().equals("abort")
                          ? null
                          : method.invoke(connection, arguments));
      link.set(
          over(
              InterceptedChannels.of(
                  lent,
                  (channel, method, arguments) -> {
                    if (method.getName().equals("confirmSelect")) {
                      opened.add(channel);
                      link.get().giveUp(new DestinationDownException("given up", null)).join();
                    }
                    return method.invoke(channel, arguments);
                  })));

      assertThatThrownBy(() -> link.get().publish(pending(exchange.name())))
          .isInstanceOf(IOException.class)
          .hasMessage("the connection was given up");
      assertThat(opened).hasSize(1);
      Orders.await(() -> !opened.get(0).isOpen(), () -> "the channel is still open");
    }
  }
}

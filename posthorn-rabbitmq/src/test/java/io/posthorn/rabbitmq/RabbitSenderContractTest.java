/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import com.rabbitmq.client.GetResponse;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.test.contract.SenderContract;
import io.posthorn.test.contract.SenderUnderTest;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

class RabbitSenderContractTest extends SenderContract {
  @Override
  protected SenderUnderTest open() {
    return new Rabbit();
  }

  private static final class Rabbit implements SenderUnderTest {
    private final Exchange exchange = Exchange.create();
    private final RabbitSender sender =
        RabbitSender.connect(Exchange.factory(), Duration.ofSeconds(20));

    @Override
    public Sender sender() {
      return sender;
    }

    @Override
    public String destination() {
      return exchange.name();
    }

    @Override
    public List<Received> received(int atLeast, Duration limit) {
      return exchange.read(atLeast, limit).stream().map(Rabbit::received).toList();
    }

    private static Received received(GetResponse message) {
      Map<String, String> headers = new LinkedHashMap<>();
      message.getProps().getHeaders().forEach((name, value) -> headers.put(name, value.toString()));
      return new Received(null, headers, message.getBody());
    }

    /** In order, since a quorum queue of RabbitMQ 3.10 on one node does not survive a kill. */
    @Override
    public void interrupt() {
      Exchange.broker().stop();
    }

    @Override
    public void restore() {
      Exchange.broker().start();
    }

    @Override
    public Optional<Outgoing> refused() {
      return Optional.of(
          new Outgoing(
              UUID.randomUUID(),
              "order-placed",
              destination(),
              null,
              "large",
              Map.of(),
              "text/plain",
              new byte[Exchange.MAX_MESSAGE_BYTES + 1],
              Instant.EPOCH));
    }

    @Override
    public boolean keepsTombstones() {
      return false;
    }

    @Override
    public void close() {
      sender.close();
    }
  }
}

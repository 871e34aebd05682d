/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.test.InMemorySender;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

class InMemorySenderContractTest extends SenderContract {
  @Override
  protected SenderUnderTest open() {
    return new InMemory();
  }

  private static final class InMemory implements SenderUnderTest {
    private final InMemorySender sender = new InMemorySender();

    InMemory() {
      sender.refuse(message -> message.payload() != null && message.payload().length > 1_000);
    }

    @Override
    public Sender sender() {
      return sender;
    }

    @Override
    public String destination() {
      return "orders";
    }

    @Override
    public List<Received> received(int atLeast, Duration limit) {
      return sender.sent().stream()
          .map(message -> new Received(message.key(), message.headers(), message.payload()))
          .toList();
    }

    @Override
    public void interrupt() {
      sender.down(true);
    }

    @Override
    public void restore() {
      sender.down(false);
    }

    @Override
    public Optional<Outgoing> refused() {
      byte[] large = "x".repeat(1_001).getBytes(StandardCharsets.UTF_8);
      return Optional.of(
          new Outgoing(
              UUID.randomUUID(),
              "order-placed",
              destination(),
              null,
              "large",
              Map.of(),
              "text/plain",
              large,
              Instant.EPOCH));
    }

    @Override
    public boolean keepsTombstones() {
      return true;
    }

    @Override
    public void close() {}
  }
}

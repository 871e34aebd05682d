/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import static java.util.Objects.requireNonNull;

import io.posthorn.Delivery;
import io.posthorn.HandlerSpec;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.Fate;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The two handlers of the demo. A receipt is the last thing a handler does, outside the outbox's
 * tables: it says that the message got here, whatever the relay makes of it afterwards.
 */
final class DemoHandlers implements RelayListener {
  static final String MAILER = "mailer";
  static final String LEDGER = "ledger";
  static final Set<String> NAMES = Set.of(MAILER, LEDGER);
  static final int ATTEMPTS = 3;

  private static final RetryPolicy RETRY =
      RetryPolicy.exponential(Duration.ofMillis(100), Duration.ofMillis(400), ATTEMPTS);
  private static final long MAIL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final int ONE_FLAKY_OF = 50;

  private final ReceiptWriter receipts;
  private final MailServer mailServer;

  DemoHandlers(ReceiptWriter receipts, MailServer mailServer) {
    this.receipts = receipts;
    this.mailServer = mailServer;
  }

  /** Takes its time, fails now and then, and depends on the mail server. */
  HandlerSpec<OrderPlaced> mailer() {
    return HandlerSpec.of(MAILER, OrderPlaced.TYPE, OrderPlaced.class, this::sendMail).retry(RETRY);
  }

  /** Never fails. */
  HandlerSpec<OrderPlaced> ledger() {
    return HandlerSpec.of(
        LEDGER,
        OrderPlaced.TYPE,
        OrderPlaced.class,
        (order, delivery) -> delivered(requireNonNull(order, "order"), delivery));
  }

  private void sendMail(@Nullable OrderPlaced placed, Delivery delivery) {
    OrderPlaced order = requireNonNull(placed, "order");
    mailServer.accept(order);
    if (delivery.attempt() == 1 && isFlaky(delivery.messageId())) {
      throw new IllegalStateException("the mail server is busy");
    }
    LockSupport.parkNanos(MAIL_NANOS);
    delivered(order, delivery);
  }

  private static boolean isFlaky(UUID id) {
    return Math.floorMod(id.hashCode(), ONE_FLAKY_OF) == 0;
  }

  private void delivered(OrderPlaced order, Delivery delivery) {
    write(Receipt.Kind.DELIVERED, order.number(), delivery);
  }

  @Override
  public void retrying(Delivery delivery, @Nullable Throwable cause, Duration delay) {
    write(Receipt.Kind.RETRYING, 0, delivery);
  }

  @Override
  public void dead(StoredMessage message, String handler, Fate.Dead fate) {
    receipts.write(
        new Receipt(Receipt.Kind.DEAD, receipts.relay(), handler, 0, 0, message.envelope().id()));
  }

  @Override
  public void circuitOpened(String handler, Throwable cause) {
    receipts.write(
        Receipt.ofCircuit(Receipt.Kind.OPENED, receipts.relay(), handler, Duration.ZERO));
  }

  @Override
  public void circuitClosed(String handler, Duration after) {
    receipts.write(Receipt.ofCircuit(Receipt.Kind.CLOSED, receipts.relay(), handler, after));
  }

  private void write(Receipt.Kind kind, long number, Delivery delivery) {
    receipts.write(
        new Receipt(
            kind,
            receipts.relay(),
            delivery.handler(),
            delivery.epoch(),
            number,
            delivery.messageId()));
  }
}

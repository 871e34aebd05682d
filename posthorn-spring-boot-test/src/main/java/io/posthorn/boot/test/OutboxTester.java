/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import static java.util.Objects.requireNonNull;

import io.posthorn.Admin;
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Delivery;
import io.posthorn.boot.PosthornFactory;
import io.posthorn.boot.PosthornFactory.Made;
import io.posthorn.spi.PayloadCodec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Delivers what was published when a test says so, and tells what became of it. In a test with
 * {@link OutboxTest} it can be injected. For one thread at a time; publishing may go on beside it.
 *
 * <p>Handlers run on the thread that calls {@link #drain}. What is not committed cannot be
 * delivered, so those methods refuse to run inside a transaction.
 *
 * @since 0.1
 */
public final class OutboxTester {
  /** How long {@link #drain} goes on at the most: a handler may publish what it handles. */
  static final Duration LIMIT = Duration.ofSeconds(30);

  private final SteppedOutboxes stepped;
  private final ObjectProvider<PosthornFactory> factory;
  private final ObjectProvider<PayloadCodec> codec;
  private final @Nullable String name;

  OutboxTester(
      SteppedOutboxes stepped,
      ObjectProvider<PosthornFactory> factory,
      ObjectProvider<PayloadCodec> codec) {
    this(stepped, factory, codec, null);
  }

  private OutboxTester(
      SteppedOutboxes stepped,
      ObjectProvider<PosthornFactory> factory,
      ObjectProvider<PayloadCodec> codec,
      @Nullable String name) {
    this.stepped = stepped;
    this.factory = factory;
    this.codec = codec;
    this.name = name;
  }

  /**
   * The tester of one of several outboxes.
   *
   * @param outbox as in {@code PosthornFactory.create}
   */
  public OutboxTester named(String outbox) {
    return new OutboxTester(stepped, factory, codec, requireNonNull(outbox, "outbox"));
  }

  // --- deliver

  /**
   * Delivers all that is ready or due, also what handlers publish meanwhile, until nothing is left.
   * Messages that wait for a delay are not waited for: see {@link #advance}.
   *
   * @throws AssertionError if a delivery failed, a message became a dead letter, or messages are
   *     left; failures are its cause and its suppressed
   * @throws IllegalStateException if called inside a transaction, or no relay runs
   */
  public void drain() {
    run(outbox()).check();
  }

  /**
   * Delivers as {@link #drain} does, for tests of failures: those are returned, in their order.
   * Messages that failed wait for their retry or are dead letters.
   *
   * @throws IllegalStateException if called inside a transaction, or no relay runs
   */
  public List<FailedDelivery> attempt() {
    return run(outbox()).failures();
  }

  private static Drain run(Outbox outbox) {
    refuseTransaction();
    return Drain.of(outbox.made.posthorn(), outbox.stepping.notes(), LIMIT);
  }

  private static void refuseTransaction() {
    if (TransactionSynchronizationManager.isActualTransactionActive()) {
      throw new IllegalStateException(
          "Nothing delivered: the test is inside a transaction, and what it published is not committed. Take @Transactional off the test, or end it first with TestTransaction.flagForCommit() and TestTransaction.end()");
    }
  }

  /**
   * Lets time pass for retries, delayed messages, circuits and rate limits; {@link #drain} then
   * delivers what has become due. A message becomes due once by one call, however long that is.
   * What goes by the age of rows does not notice: expiry, retention, idempotency keys, metrics. The
   * real clock runs on: a retry whose delay is shorter than the test may come without this.
   */
  public void advance(Duration by) {
    Outbox outbox = outbox();
    outbox.stepping.advance(by, outbox.made.posthorn().admin());
  }

  // --- see

  /** What was committed since the last {@link #clear}, by this application, in that order. */
  public List<PublishedMessage> published() {
    return outbox().stepping.notes().published().stream()
        .map(envelope -> new PublishedMessage(envelope, this::codec))
        .toList();
  }

  /** The payloads of those of one type; without tombstones. */
  public <P> List<P> published(String type, Class<P> payloadClass) {
    requireNonNull(type, "type");
    return published().stream()
        .filter(message -> message.type().equals(type))
        .map(message -> message.payload(payloadClass))
        .filter(Objects::nonNull)
        .toList();
  }

  /** As the outbox finds it. */
  private PayloadCodec codec() {
    PayloadCodec bean = codec.getIfUnique();
    return bean == null ? new FoundCodec().get() : bean;
  }

  /** What handlers took since the last {@link #clear}, in that order. */
  public List<Delivery> delivered() {
    return outbox().stepping.notes().delivered();
  }

  /** What waits for a retry, a delay or an earlier message of its key; without payloads. */
  public List<DeferredEntry> deferred() {
    return Lists.deferred(admin());
  }

  /** What was given up; without payloads. */
  public List<DeadLetter> deadLetters() {
    return Lists.deadLetters(admin());
  }

  /** For the rest: retry dead letters, pause handlers. */
  public Admin admin() {
    return outbox().made.posthorn().admin();
  }

  // --- begin anew

  /**
   * Deletes all messages, waiting or dead, ends pauses, and forgets what was published and
   * delivered, and the handlers of contexts that were closed. Idempotency keys and history stay.
   *
   * @throws IllegalStateException if called inside a transaction
   */
  public void clear() {
    refuseTransaction();
    Outbox outbox = outbox();
    new Cleaning(outbox.made, outbox.stepping).run();
  }

  /** Clears all outboxes. */
  void clearAll() {
    made().keySet().stream().sorted().forEach(outbox -> named(outbox).clear());
  }

  // --- which one

  private record Outbox(Made made, Stepping stepping) {}

  private Map<String, Made> made() {
    PosthornFactory found = factory.getIfAvailable();
    return found == null ? Map.of() : found.made();
  }

  private Outbox outbox() {
    Map<String, Made> all = made();
    String wanted = name == null && all.size() == 1 ? all.keySet().iterator().next() : name;
    if (wanted == null) {
      throw new IllegalStateException(
          all.isEmpty()
              ? "The application has no outbox: it has no data source, posthorn.enabled is false, or the outbox was not made by PosthornFactory"
              : "The application has several outboxes: %s. Say which one, with named(…)"
                  .formatted(new TreeSet<>(all.keySet())));
    }
    Made made = all.get(wanted);
    Stepping stepping = stepped.find(wanted);
    if (made == null || stepping == null) {
      throw new IllegalStateException(
          "The application has no outbox \"%s\", but %s"
              .formatted(wanted, new TreeSet<>(all.keySet())));
    }
    return new Outbox(made, stepping);
  }
}

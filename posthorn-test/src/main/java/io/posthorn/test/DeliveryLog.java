/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.spi.Fate;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what relays do, and asserts on it. Add it as a listener; several relays may share
 * one. Safe to share between threads.
 *
 * @since 0.1
 */
public final class DeliveryLog implements RelayListener {
  private final List<Delivery> delivered = Collections.synchronizedList(new ArrayList<>());
  private final List<Delivery> retrying = Collections.synchronizedList(new ArrayList<>());
  private final List<DeadLetter> dead = Collections.synchronizedList(new ArrayList<>());
  private final List<Delivery> ignored = Collections.synchronizedList(new ArrayList<>());
  private final List<String> circuits = Collections.synchronizedList(new ArrayList<>());
  private final List<StoredMessage> expired = Collections.synchronizedList(new ArrayList<>());
  private final List<RelayIdentity> expelled = Collections.synchronizedList(new ArrayList<>());
  private final List<Integer> released = Collections.synchronizedList(new ArrayList<>());
  private final List<PartitionOwner> taken = Collections.synchronizedList(new ArrayList<>());

  @Override
  public void delivered(Delivery delivery) {
    delivered.add(delivery);
  }

  @Override
  public void retrying(Delivery delivery, @Nullable Throwable cause, Duration delay) {
    retrying.add(delivery);
  }

  @Override
  public void dead(StoredMessage message, String handler, Fate.Dead fate) {
    dead.add(new DeadLetter(message, handler, fate.attempts(), fate.error()));
  }

  @Override
  public void circuitOpened(String handler, Throwable cause) {
    circuits.add(handler + " opened");
  }

  @Override
  public void circuitClosed(String handler, Duration after) {
    circuits.add(handler + " closed");
  }

  @Override
  public void destinationUnavailable(String handler, String destination, Throwable cause) {
    circuits.add(handler + " to " + destination + " opened");
  }

  @Override
  public void destinationBack(String handler, String destination, Duration after) {
    circuits.add(handler + " to " + destination + " closed");
  }

  @Override
  public void ignored(Delivery delivery) {
    ignored.add(delivery);
  }

  @Override
  public void expired(StoredMessage message) {
    expired.add(message);
  }

  @Override
  public void expelled(RelayIdentity identity) {
    expelled.add(identity);
  }

  @Override
  public void released(int partition) {
    released.add(partition);
  }

  @Override
  public void taken(PartitionOwner partition) {
    taken.add(partition);
  }

  /** Deliveries that succeeded, in order. */
  public List<Delivery> delivered() {
    return List.copyOf(delivered);
  }

  /** Deliveries that failed and are tried again, in order. */
  public List<Delivery> retrying() {
    return List.copyOf(retrying);
  }

  /** Dead letters that were stored, in order. */
  public List<DeadLetter> dead() {
    return List.copyOf(dead);
  }

  /** Messages that a handler, or its failure callback, has dropped. */
  public List<Delivery> ignored() {
    return List.copyOf(ignored);
  }

  /**
   * What happened to circuits, in order: the handler's name, "to" and the destination if it is the
   * circuit of one, and "opened" or "closed".
   */
  public List<String> circuits() {
    return List.copyOf(circuits);
  }

  /** A dead letter that was stored. */
  public record DeadLetter(StoredMessage message, String handler, int attempts, String error) {}

  /** Messages that were dropped because they had expired. */
  public List<StoredMessage> expired() {
    return List.copyOf(expired);
  }

  /** Lives of relays that were found expelled. */
  public List<RelayIdentity> expelled() {
    return List.copyOf(expelled);
  }

  /** Partitions that were handed over, in order. */
  public List<Integer> released() {
    return List.copyOf(released);
  }

  /** Partitions that were taken, in order. */
  public List<PartitionOwner> taken() {
    return List.copyOf(taken);
  }

  /** Seqs of the successful deliveries of one lane, in order. */
  public List<Long> deliveredSeqs(String handler, @Nullable String key) {
    return delivered().stream()
        .filter(delivery -> delivery.handler().equals(handler))
        .filter(delivery -> key == null || key.equals(delivery.key()))
        .map(delivery -> delivery.message().seq())
        .toList();
  }

  /** Asserts that the handler got this message exactly once. */
  public void assertDelivered(String handler, UUID messageId) {
    assertThat(delivered())
        .filteredOn(delivery -> delivery.handler().equals(handler))
        .extracting(Delivery::messageId)
        .as("deliveries to \"%s\"", handler)
        .containsOnlyOnce(messageId);
  }

  /** Asserts that the handler got these messages, in this order and no others. */
  public void assertDeliveredExactly(String handler, List<UUID> messageIds) {
    assertThat(delivered())
        .filteredOn(delivery -> delivery.handler().equals(handler))
        .extracting(Delivery::messageId)
        .as("deliveries to \"%s\"", handler)
        .containsExactlyElementsOf(messageIds);
  }

  /** Asserts that nothing was delivered. */
  public void assertNothingDelivered() {
    assertThat(delivered()).as("deliveries").isEmpty();
  }
}

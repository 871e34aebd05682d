/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import io.posthorn.Delivery;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.PublishHook;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.StoredMessage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** What an outbox did since the last clear. */
final class Notes implements PublishHook, RelayListener {
  private final List<Envelope> published = new CopyOnWriteArrayList<>();
  private final List<Delivery> delivered = new CopyOnWriteArrayList<>();
  private final List<FailedDelivery> failed = new CopyOnWriteArrayList<>();
  private final List<String> died = new CopyOnWriteArrayList<>();
  private volatile @Nullable RelayIdentity relay;

  @Override
  public void afterCommit(List<Envelope> messages) {
    published.addAll(messages);
  }

  @Override
  public void delivered(Delivery delivery) {
    delivered.add(delivery);
  }

  @Override
  public void failed(Delivery delivery, Throwable cause) {
    failed.add(new FailedDelivery(delivery, cause));
  }

  @Override
  public void dead(StoredMessage message, String handler, Fate.Dead fate) {
    died.add(
        "%s of type \"%s\" became a dead letter of handler \"%s\": %s"
            .formatted(message.envelope().id(), message.envelope().type(), handler, fate.error()));
  }

  @Override
  public void taken(PartitionOwner partition) {
    relay = partition.owner();
  }

  List<Envelope> published() {
    return List.copyOf(published);
  }

  List<Delivery> delivered() {
    return List.copyOf(delivered);
  }

  List<FailedDelivery> failed() {
    return List.copyOf(failed);
  }

  /** What is to be said about messages that became dead letters. */
  List<String> died() {
    return List.copyOf(died);
  }

  /** How much happened. */
  int size() {
    return published.size() + delivered.size() + failed.size() + died.size();
  }

  /** The relay's present life, or null: it has no partition yet. */
  @Nullable RelayIdentity relay() {
    return relay;
  }

  void clear() {
    published.clear();
    delivered.clear();
    failed.clear();
    died.clear();
  }
}

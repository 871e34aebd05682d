/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of publishing, {@code posthorn.publish.*} in configuration. Each method without a
 * parameter tells a setting, the one with a parameter sets it. Not safe to share between threads;
 * read once, when the outbox is built.
 *
 * @since 0.1
 */
public final class PublishOptions {
  private int maxPayloadBytes = 1024 * 1024;
  private int bufferMessages = 500;
  private boolean acceptUnhandledTypes;
  private boolean deleteAtOnce;
  private @Nullable Duration purgeAfter;
  private boolean promotedElsewhere;
  private Duration idempotencyRetention = Duration.ofDays(7);

  PublishOptions() {}

  PublishOptions copy() {
    PublishOptions copy = new PublishOptions();
    copy.maxPayloadBytes = maxPayloadBytes;
    copy.bufferMessages = bufferMessages;
    copy.acceptUnhandledTypes = acceptUnhandledTypes;
    copy.deleteAtOnce = deleteAtOnce;
    copy.purgeAfter = purgeAfter;
    copy.promotedElsewhere = promotedElsewhere;
    copy.idempotencyRetention = idempotencyRetention;
    return copy;
  }

  public int maxPayloadBytes() {
    return maxPayloadBytes;
  }

  /** The largest payload, serialised. */
  public PublishOptions maxPayloadBytes(int maxPayloadBytes) {
    this.maxPayloadBytes = maxPayloadBytes;
    return this;
  }

  public int bufferMessages() {
    return bufferMessages;
  }

  /**
   * How many messages of one transaction wait in memory; beyond that they are written before the
   * commit.
   */
  public PublishOptions bufferMessages(int bufferMessages) {
    this.bufferMessages = bufferMessages;
    return this;
  }

  public boolean acceptUnhandledTypes() {
    return acceptUnhandledTypes;
  }

  /**
   * Whether a type that no handler of this process takes can be published. Always so in
   * publish-only mode.
   */
  public PublishOptions acceptUnhandledTypes(boolean acceptUnhandledTypes) {
    this.acceptUnhandledTypes = acceptUnhandledTypes;
    return this;
  }

  public boolean deleteAtOnce() {
    return deleteAtOnce;
  }

  /**
   * Deletes messages in the transaction that writes them, for readers of the database's log (change
   * data capture). Publish-only mode, and no relay anywhere.
   */
  public PublishOptions deleteAtOnce(boolean deleteAtOnce) {
    this.deleteAtOnce = deleteAtOnce;
    return this;
  }

  /** Null: nothing is purged. */
  public @Nullable Duration purgeAfter() {
    return purgeAfter;
  }

  /**
   * Deletes messages of this age, for readers of the database's log. Publish-only mode, and no
   * relay anywhere.
   */
  public PublishOptions purgeAfter(Duration purgeAfter) {
    this.purgeAfter = requireNonNull(purgeAfter, "purgeAfter");
    return this;
  }

  public boolean promotedElsewhere() {
    return promotedElsewhere;
  }

  /**
   * Whether a relay of another process delivers delayed messages when they are due. Publish-only
   * mode refuses them otherwise: nobody would.
   */
  public PublishOptions promotedElsewhere(boolean promotedElsewhere) {
    this.promotedElsewhere = promotedElsewhere;
    return this;
  }

  public Duration idempotencyRetention() {
    return idempotencyRetention;
  }

  /** How long an idempotency key is taken. */
  public PublishOptions idempotencyRetention(Duration idempotencyRetention) {
    this.idempotencyRetention = requireNonNull(idempotencyRetention, "idempotencyRetention");
    return this;
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.Sent.Timing;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Draws transactions and messages from all that users can publish. How often each sort comes is
 * drawn first, so that writers differ. One thread only.
 */
final class MessageMix {
  private static final int ODD_MESSAGES_OF_100 = 4;
  private static final int KEYLESS_OF_100 = 10;
  private static final int HOT_KEYS = 8;
  private static final int LARGEST_TRANSACTION = 700;
  private static final int LARGEST_PAYLOAD = 1 << 20;
  private static final int IDEMPOTENCY_KEYS = 2_000;
  private static final long LONG_EXPIRY = TimeUnit.HOURS.toMillis(1);

  private final Random random;
  private final List<Nature> odd;
  private final Shares shares;

  /**
   * How many of 1,000 are of a sort.
   *
   * @param hot messages with one of a few keys
   * @param large transactions with hundreds of messages
   * @param idempotent transactions whose first message has an idempotency key
   */
  private record Shares(
      int hot,
      int delayed,
      int expiring,
      int tombstones,
      int manyHeaders,
      int large,
      int idempotent) {
    static Shares draw(Random random) {
      return new Shares(
          random.nextInt(400),
          random.nextInt(60),
          random.nextInt(60),
          random.nextInt(60),
          random.nextInt(30),
          random.nextInt(3),
          random.nextInt(80));
    }
  }

  /**
   * A message to be published.
   *
   * @param payload null: a tombstone
   * @param delayMillis 0: none
   * @param expiryMillis from now; 0: it does not expire
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Draft(
      String type,
      Nature nature,
      byte @Nullable [] payload,
      int extraHeaders,
      long delayMillis,
      long expiryMillis) {
    Draft plain() {
      return new Draft(type, Nature.PLAIN, payload, extraHeaders, delayMillis, expiryMillis);
    }

    Timing timing(long now) {
      if (delayMillis > 0) {
        return Timing.notBefore(now + delayMillis);
      }
      return expiryMillis > 0 ? Timing.until(now + expiryMillis) : Timing.ANY;
    }
  }

  MessageMix(Random random, List<Nature> odd) {
    this.random = random;
    this.odd = List.copyOf(odd);
    this.shares = Shares.draw(random);
  }

  /** Draws whether this is one of so many of 100. */
  boolean of100(int share) {
    return random.nextInt(100) < share;
  }

  private boolean of1000(int share) {
    return random.nextInt(1_000) < share;
  }

  /** Null: no key. */
  @Nullable String key() {
    if (of100(KEYLESS_OF_100)) {
      return null;
    }
    return "k" + random.nextInt(of1000(shares.hot) ? HOT_KEYS : ChaosTables.KEYS);
  }

  /** How many messages a transaction has. */
  int transactionSize() {
    return of1000(shares.large) ? random.nextInt(LARGEST_TRANSACTION) : 1 + random.nextInt(3);
  }

  /** Null: the transaction has none. Writers of all processes draw from the same ones. */
  @Nullable String idempotencyKey() {
    return of1000(shares.idempotent) ? "i" + random.nextInt(IDEMPOTENCY_KEYS) : null;
  }

  Draft draft() {
    return draft(of1000(shares.tombstones) ? null : payload());
  }

  /** One of many in a transaction. */
  Draft smallDraft() {
    return draft(new byte[0]);
  }

  private Draft draft(byte @Nullable [] payload) {
    boolean delayed = of1000(shares.delayed);
    boolean expiring = !delayed && of1000(shares.expiring);
    return new Draft(
        Receiver.TYPES.get(random.nextInt(Receiver.TYPES.size())),
        nature(),
        payload,
        of1000(shares.manyHeaders) ? 1 + random.nextInt(200) : 0,
        delayed ? 1 + random.nextInt(4_000) : 0,
        expiring ? expiry() : 0);
  }

  private long expiry() {
    return random.nextBoolean() ? 50 + random.nextInt(3_000) : LONG_EXPIRY;
  }

  private Nature nature() {
    return odd.isEmpty() || !of100(ODD_MESSAGES_OF_100)
        ? Nature.PLAIN
        : odd.get(random.nextInt(odd.size()));
  }

  /** Most are small, few large, and some as large as can be. */
  private byte[] payload() {
    int sort = random.nextInt(2_000);
    int bytes;
    if (sort == 0) {
      bytes = LARGEST_PAYLOAD;
    } else if (sort < 10) {
      bytes = random.nextInt(200_000);
    } else if (sort < 150) {
      bytes = random.nextInt(10_000);
    } else {
      bytes = random.nextInt(300);
    }
    byte[] payload = new byte[bytes];
    random.nextBytes(payload);
    return payload;
  }
}

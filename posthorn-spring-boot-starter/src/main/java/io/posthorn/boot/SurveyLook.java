/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.Admin.Survey;
import io.posthorn.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The last look at what waits, taken anew when it is asked for and older than a few seconds: so it
 * costs the same however often it is asked for. One of those who ask takes the survey, and waits
 * for the database as long as its pool lets it; the others get the look before, or hear that this
 * one hangs. Safe to share between threads.
 */
final class SurveyLook {
  /** How long a look is good for. */
  static final Duration FRESH = Duration.ofSeconds(5);

  /** After which a survey under way is said to hang. */
  static final Duration HANGS = Duration.ofSeconds(10);

  private final Supplier<Survey> source;
  private final Ticker ticker;
  private final ReentrantLock surveying = new ReentrantLock();
  private volatile @Nullable Look last; // written under surveying
  private volatile @Nullable Long begun; // on the ticker; null if no survey is under way

  /**
   * What was seen.
   *
   * @param survey null if it failed
   * @param problem null if it did not
   * @param at on the ticker
   */
  record Look(@Nullable Survey survey, @Nullable String problem, long at) {}

  SurveyLook(Supplier<Survey> source, Ticker ticker) {
    this.source = source;
    this.ticker = ticker;
  }

  Look get() {
    Look look = last;
    if (look == null) {
      surveying.lock(); // there is nothing to tell yet
    } else if (isFresh(look)) {
      return look;
    } else if (!surveying.tryLock()) {
      return hanging(look);
    }
    try {
      look = last;
      return look != null && isFresh(look) ? look : take();
    } finally {
      surveying.unlock();
    }
  }

  private boolean isFresh(Look look) {
    return ticker.nanos() - look.at < FRESH.toNanos();
  }

  private Look hanging(Look look) {
    Long since = begun;
    long now = ticker.nanos();
    return since == null || now - since < HANGS.toNanos()
        ? look
        : new Look(null, "a survey has been under way for " + Duration.ofNanos(now - since), now);
  }

  private Look take() {
    begun = ticker.nanos();
    Look look;
    try {
      Survey survey = source.get();
      look = new Look(survey, null, ticker.nanos());
    } catch (RuntimeException e) { // whatever it is, it is what there is to say about the health
      look = new Look(null, e.toString(), ticker.nanos());
    } finally {
      begun = null;
    }
    last = look;
    return look;
  }
}

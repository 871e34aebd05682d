/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.instance.Tuning;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * How an instance of the fleet is started, each time anew.
 *
 * @param perSecond transactions of its writers
 * @param operator whether an operator acts in it
 */
public record Member(
    String name,
    Duration skew,
    int perSecond,
    Set<Nature> natures,
    Set<String> handlers,
    boolean operator,
    Tuning tuning) {
  /** The name of one that is spared what is done to single instances, to see whether it grows. */
  public static final String STEADY = "steady";

  private static final int PER_SECOND = 60;

  public static Member of(String name) {
    Set<Nature> harmless = EnumSet.complementOf(EnumSet.of(Nature.HANGS, Nature.KILLER));
    return new Member(
        name, Duration.ZERO, PER_SECOND, harmless, Receiver.NAMES, false, Tuning.STANDARD);
  }

  /** What kills is not sent again and again. */
  Set<Nature> naturesOfLaterLives() {
    return natures.contains(Nature.KILLER) ? Set.of() : natures;
  }

  public Member skewedBy(Duration time) {
    return new Member(name, time, perSecond, natures, handlers, operator, tuning);
  }

  public Member sending(Set<Nature> odd) {
    return new Member(name, skew, perSecond, odd, handlers, operator, tuning);
  }

  public Member writing(int transactionsPerSecond) {
    return new Member(name, skew, transactionsPerSecond, natures, handlers, operator, tuning);
  }

  /** It only relays. */
  public Member silent() {
    return new Member(name, skew, 0, natures, handlers, operator, tuning);
  }

  /** It only relays, and no operator acts in it. */
  Member resting() {
    return new Member(name, skew, 0, natures, handlers, false, tuning);
  }

  public Member with(Set<String> some) {
    return new Member(name, skew, perSecond, natures, some, operator, tuning);
  }

  public Member tuned(Tuning other) {
    return new Member(name, skew, perSecond, natures, handlers, operator, other);
  }

  /** Somebody sees and steers messages in it. */
  public Member operated() {
    return new Member(name, skew, perSecond, natures, handlers, true, tuning);
  }
}

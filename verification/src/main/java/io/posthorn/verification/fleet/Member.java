/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.history.Nature;
import io.posthorn.verification.instance.InstanceSettings;
import java.time.Duration;
import java.util.Set;

/**
 * How an instance of the fleet is started, each time anew.
 *
 * @param perSecond transactions of its writers
 */
public record Member(
    String name, Duration skew, int perSecond, Set<Nature> natures, Set<String> handlers) {
  private static final int PER_SECOND = 100;

  public static Member of(String name) {
    return new Member(
        name,
        Duration.ZERO,
        PER_SECOND,
        Set.of(Nature.FAILS_ONCE, Nature.SLOW, Nature.POISON),
        InstanceSettings.HANDLERS);
  }

  /** What kills is not sent again and again. */
  Set<Nature> naturesOfLaterLives() {
    return natures.contains(Nature.KILLER) ? Set.of() : natures;
  }

  public Member skewedBy(Duration time) {
    return new Member(name, time, perSecond, natures, handlers);
  }

  public Member sending(Set<Nature> odd) {
    return new Member(name, skew, perSecond, odd, handlers);
  }

  /** Its writers take their time. */
  public Member rarely() {
    return new Member(name, skew, 10, natures, handlers);
  }

  /** It only relays. */
  public Member silent() {
    return new Member(name, skew, 0, natures, handlers);
  }

  public Member with(Set<String> some) {
    return new Member(name, skew, perSecond, natures, some);
  }
}

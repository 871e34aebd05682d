/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import io.posthorn.RelayOptions;
import io.posthorn.cli.config.Section;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The section {@code relay}. What is not set has the default of {@link RelayOptions}. */
final class RelaySettings {
  /** Less than the 30 s that Kubernetes gives a process to end. */
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(25);

  private final List<Consumer<RelayOptions>> settings = new ArrayList<>();
  private final Duration stopTimeout;

  private RelaySettings(Optional<Section> section) {
    section.ifPresent(this::read);
    stopTimeout = section.flatMap(relay -> relay.duration("stop-timeout")).orElse(STOP_TIMEOUT);
    settings.add(options -> options.stopTimeout(stopTimeout));
  }

  static RelaySettings of(Optional<Section> section) {
    return new RelaySettings(section);
  }

  private void read(Section relay) {
    set(relay.text("name"), RelayOptions::name);
    set(relay.duration("lease-duration"), RelayOptions::leaseDuration);
    set(relay.duration("heartbeat-interval"), RelayOptions::heartbeatInterval);
    set(relay.duration("poll-interval"), RelayOptions::pollInterval);
    set(relay.duration("busy-poll-interval"), RelayOptions::busyPollInterval);
    set(relay.duration("sweep-interval"), RelayOptions::sweepInterval);
    set(relay.duration("look-back"), RelayOptions::lookBack);
    set(relay.duration("late-after"), RelayOptions::lateAfter);
    set(relay.duration("unknown-type-grace"), RelayOptions::unknownTypeGrace);
    set(relay.duration("startup-delay"), RelayOptions::startupDelay);
    set(relay.duration("retention"), RelayOptions::retention);
    set(relay.duration("probe-interval"), RelayOptions::probeInterval);
    set(relay.integer("window-messages"), RelayOptions::windowMessages);
    set(relay.bytes("window-bytes"), RelayOptions::windowBytes);
    set(relay.integer("settle-batch"), RelayOptions::settleBatch);
    set(relay.integer("workers"), RelayOptions::workers);
    set(RetryConfig.of(relay), RelayOptions::retry);
  }

  private <T> void set(Optional<T> value, BiConsumer<RelayOptions, T> setter) {
    value.ifPresent(found -> settings.add(options -> setter.accept(options, found)));
  }

  void applyTo(RelayOptions options) {
    settings.forEach(setting -> setting.accept(options));
  }

  /** How long deliveries under way are waited for at the end. */
  Duration stopTimeout() {
    return stopTimeout;
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal;

import io.posthorn.ConfigurationException;
import io.posthorn.HandlerSpec;
import io.posthorn.PublishOptions;
import io.posthorn.RelayOptions;
import io.posthorn.internal.run.Threads;
import io.posthorn.spi.DeferredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Looks through all settings and reports every problem at once. */
public final class ConfigProblems {
  private static final int MOST_NAME_CHARS = 100;

  private final List<String> problems = new ArrayList<>();

  public void add(String problem) {
    problems.add(problem);
  }

  /** Throws if there was any problem. */
  public void report() {
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }

  public void checkRelay(RelayOptions options) {
    positive("relay.lease-duration", options.leaseDuration());
    positive("relay.heartbeat-interval", options.heartbeatInterval());
    if (options.heartbeatInterval().multipliedBy(3).compareTo(options.leaseDuration()) > 0) {
      add(
          "relay.heartbeat-interval was %s but must be at most a third of relay.lease-duration (%s), or one late heartbeat costs the lease"
              .formatted(text(options.heartbeatInterval()), text(options.leaseDuration())));
    }
    positive("relay.poll-interval", options.pollInterval());
    positive("relay.busy-poll-interval", options.busyPollInterval());
    if (options.busyPollInterval().compareTo(options.pollInterval()) > 0) {
      add(
          "relay.busy-poll-interval was %s but must not be longer than relay.poll-interval (%s)"
              .formatted(text(options.busyPollInterval()), text(options.pollInterval())));
    }
    positive("relay.look-back", options.lookBack());
    positive("relay.sweep-interval", options.sweepInterval());
    positive("relay.late-after", options.lateAfter());
    positive("relay.stop-timeout", options.stopTimeout());
    notNegative("relay.unknown-type-grace", options.unknownTypeGrace());
    notNegative("relay.startup-delay", options.startupDelay());
    atLeast("relay.window-messages", options.windowMessages(), 1);
    atLeast("relay.window-bytes", options.windowBytes(), 1024);
    atLeast("relay.settle-batch", options.settleBatch(), 1);
    atLeast("relay.workers", options.workers(), 1);
    checkName("relay.name", options.name());
    checkThreads(options);
  }

  private void checkThreads(RelayOptions options) {
    if (options.virtualThreads() && !Threads.hasVirtual()) {
      add(
          "relay.virtual-threads was true but this is Java %d; use Java 21 or newer, or set it to false"
              .formatted(Runtime.version().feature()));
    }
    if (options.virtualThreads() && options.executor() != null) {
      add("relay.virtual-threads was true but an executor was given too; choose one");
    }
  }

  public void checkPublish(PublishOptions options, boolean publishOnly) {
    atLeast("publish.max-payload-bytes", options.maxPayloadBytes(), 1);
    atLeast("publish.buffer-messages", options.bufferMessages(), 1);
    Duration purgeAfter = options.purgeAfter();
    if (purgeAfter != null) {
      positive("publish.purge-after", purgeAfter);
    }
    if (options.deleteAtOnce() && purgeAfter != null) {
      add("publish.delete-at-once was true and publish.purge-after was set too; choose one");
    }
    if (!publishOnly && (options.deleteAtOnce() || purgeAfter != null)) {
      add(
          "publish.delete-at-once and publish.purge-after are for change data capture, but this process has a relay, which would miss those messages; use publishOnly, or leave them out");
    }
  }

  public void checkHandlers(Collection<HandlerSpec<?>> handlers, boolean publishOnly) {
    Set<String> names = new HashSet<>();
    for (HandlerSpec<?> handler : handlers) {
      checkName("the name of a handler", handler.name());
      if (!names.add(handler.name())) {
        add("two handlers are named \"%s\"; give each a name of its own".formatted(handler.name()));
      }
      if (handler.name().equals(DeferredMessage.UNDECIDED) || handler.name().isBlank()) {
        add("a handler was named \"%s\" but needs a name with letters".formatted(handler.name()));
      }
      if (handler.concurrency() < 0) {
        add(
            "concurrency of handler \"%s\" was %d but must be at least 1"
                .formatted(handler.name(), handler.concurrency()));
      }
      if (handler.batchSize() < 1) {
        add(
            "batch-size of handler \"%s\" was %d but must be at least 1"
                .formatted(handler.name(), handler.batchSize()));
      }
    }
    if (publishOnly && !handlers.isEmpty()) {
      add(
          "handlers were registered but this process only publishes; register them where a relay runs");
    }
    if (!publishOnly && handlers.isEmpty()) {
      add(
          "no handler was registered, so nothing could be delivered; register one, or use publishOnly");
    }
  }

  private void checkName(String what, @org.jspecify.annotations.Nullable String name) {
    if (name != null
        && (name.isBlank()
            || name.length() > MOST_NAME_CHARS
            || name.chars().anyMatch(c -> c < ' '))) {
      add(
          "%s must have 1 to %d characters and no control characters"
              .formatted(what, MOST_NAME_CHARS));
    }
  }

  private void positive(String key, Duration value) {
    if (value.isNegative() || value.isZero()) {
      add("%s was %s but must be longer than 0s".formatted(key, text(value)));
    }
  }

  private void notNegative(String key, Duration value) {
    if (value.isNegative()) {
      add("%s was %s but must not be negative".formatted(key, text(value)));
    }
  }

  private void atLeast(String key, long value, long least) {
    if (value < least) {
      add("%s was %d but must be at least %d".formatted(key, value, least));
    }
  }

  private static String text(Duration duration) {
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + "s"
        : duration.toMillis() + "ms";
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import io.posthorn.internal.route.RoutingTable;
import io.posthorn.internal.run.Threads;
import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Looks through all settings and reports every problem at once. */
final class ConfigProblems {
  private static final int MOST_NAME_CHARS = 100;
  private static final int MOST_TYPE_CHARS = 255;
  private static final int SHOWN_CHARS = 40;

  /** What the payload columns of every supported database take. */
  private static final int MOST_PAYLOAD_BYTES = 64 * 1024 * 1024;

  private static final Duration DAY = Duration.ofDays(1);

  private final List<String> problems = new ArrayList<>();

  void add(String problem) {
    problems.add(problem);
  }

  /** Throws if there was any problem. */
  void report() {
    if (!problems.isEmpty()) {
      throw new ConfigurationException(problems);
    }
  }

  void checkRelay(RelayOptions options) {
    checkLease(options);
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
    positive("relay.time-limit", options.timeLimit());
    positive("relay.probe-interval", options.probeInterval());
    atLeast("relay.crash-attempts", options.crashAttempts(), 1);
    notNegative("relay.unknown-type-grace", options.unknownTypeGrace());
    notNegative("relay.startup-delay", options.startupDelay());
    notNegative("relay.retention", options.retention());
    atLeast("relay.window-messages", options.windowMessages(), 1);
    atLeast("relay.window-bytes", options.windowBytes(), 1024);
    atLeast("relay.settle-batch", options.settleBatch(), 1);
    atLeast("relay.workers", options.workers(), 1);
    String name = options.name();
    if (name != null) {
      checkText("relay.name", name, MOST_NAME_CHARS);
    }
    String version = options.applicationVersion();
    if (version != null) {
      checkText("relay.application-version", version, MOST_NAME_CHARS);
    }
    checkThreads(options);
  }

  private void checkLease(RelayOptions options) {
    boolean leaseFits = notLonger("relay.lease-duration", options.leaseDuration(), DAY, "1 day");
    boolean heartbeatFits =
        notLonger("relay.heartbeat-interval", options.heartbeatInterval(), DAY, "1 day");
    if (!leaseFits || !heartbeatFits) {
      return;
    }
    positive("relay.lease-duration", options.leaseDuration());
    positive("relay.heartbeat-interval", options.heartbeatInterval());
    if (options.heartbeatInterval().multipliedBy(3).compareTo(options.leaseDuration()) > 0) {
      add(
          "relay.heartbeat-interval was %s but must be at most a third of relay.lease-duration (%s), or one late heartbeat costs the lease"
              .formatted(text(options.heartbeatInterval()), text(options.leaseDuration())));
    }
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

  void checkPublish(PublishOptions options, boolean publishOnly) {
    if (options.maxPayloadBytes() < 1 || options.maxPayloadBytes() > MOST_PAYLOAD_BYTES) {
      add(
          "publish.max-payload-bytes was %d but must be between 1 and %d"
              .formatted(options.maxPayloadBytes(), MOST_PAYLOAD_BYTES));
    }
    atLeast("publish.buffer-messages", options.bufferMessages(), 1);
    Duration purgeAfter = options.purgeAfter();
    if (purgeAfter != null) {
      positive("publish.purge-after", purgeAfter);
    }
    positive("publish.idempotency-retention", options.idempotencyRetention());
    if (options.promotedElsewhere() && (options.deleteAtOnce() || purgeAfter != null)) {
      add(
          "publish.promoted-elsewhere was true but publish.delete-at-once and publish.purge-after are for outboxes without any relay, so nobody would promote delayed messages; choose one");
    }
    if (options.deleteAtOnce() && purgeAfter != null) {
      add("publish.delete-at-once was true and publish.purge-after was set too; choose one");
    }
    if (!publishOnly && (options.deleteAtOnce() || purgeAfter != null)) {
      add(
          "publish.delete-at-once and publish.purge-after are for change data capture, but this process has a relay, which would miss those messages; use publishOnly, or leave them out");
    }
  }

  /**
   * @param transactions those of the outbox
   */
  void checkHandlers(
      Collection<HandlerSpec<?>> handlers, Transactions transactions, boolean publishOnly) {
    handlers.forEach(handler -> checkFailures(handler, transactions));
    Set<String> names = new HashSet<>();
    for (HandlerSpec<?> handler : handlers) {
      checkText("the name of a handler", handler.name(), MOST_NAME_CHARS);
      for (String type : new TreeSet<>(handler.types())) {
        checkText("a type of handler \"" + shown(handler.name()) + "\"", type, MOST_TYPE_CHARS);
      }
      if (!names.add(handler.name())) {
        add("two handlers are named \"%s\"; give each a name of its own".formatted(handler.name()));
      }
      if (handler.name().equals(DeferredMessage.UNDECIDED)) {
        add("a handler was named \"%s\" but needs a name with letters".formatted(handler.name()));
      }
      int concurrency = handler.concurrency().orElse(1);
      if (concurrency < 1) {
        add(
            "concurrency of handler \"%s\" was %d but must be at least 1"
                .formatted(handler.name(), concurrency));
      }
      if (handler.batchSize() < 1) {
        add(
            "batch-size of handler \"%s\" was %d but must be at least 1"
                .formatted(handler.name(), handler.batchSize()));
      }
      if (handler.batchPerKey() < 1) {
        add(
            "batch-per-key of handler \"%s\" was %d but must be at least 1"
                .formatted(handler.name(), handler.batchPerKey()));
      }
      if (handler.batchPerKey() != Integer.MAX_VALUE && handler.batchHandler().isEmpty()) {
        add(
            "batch-per-key of handler \"%s\" was %d, but it takes no batches; leave it out"
                .formatted(handler.name(), handler.batchPerKey()));
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

  private void checkFailures(HandlerSpec<?> handler, Transactions transactions) {
    String of = " of handler \"" + shown(handler.name()) + "\"";
    handler.timeLimit().ifPresent(limit -> positive("time-limit" + of, limit));
    handler
        .rateLimit()
        .ifPresent(
            limit -> {
              atLeast("rate-limit" + of, limit.deliveries(), 1);
              positive("the time of the rate-limit" + of, limit.per());
            });
    if (handler.isTransactional() && handler.batchHandler().isPresent()) {
      add(
          "handler \"%s\" takes batches and is transactional; choose one"
              .formatted(shown(handler.name())));
    }
    if (handler.isTransactional() && !transactions.canBegin()) {
      add(
          "handler \"%s\" is transactional but %s can't begin transactions; use others, or leave it out"
              .formatted(shown(handler.name()), transactions.getClass().getName()));
    }
  }

  /**
   * @param senders the names of those that were registered
   */
  void checkRoutes(RoutingTable routes, Set<String> senders, boolean publishOnly) {
    if (publishOnly && !(senders.isEmpty() && routes.senders().isEmpty())) {
      add(
          "senders or routes were registered but this process only publishes; register them where a relay runs");
    }
    for (String missing : without(routes.senders(), senders)) {
      add(
          "a route leads to sender \"%s\", which was not registered; known are %s"
              .formatted(shown(missing), senders));
    }
    for (String unused : without(senders, routes.senders())) {
      add(
          "no route leads to sender \"%s\", so nothing would be sent; add one, or leave it out"
              .formatted(shown(unused)));
    }
    for (String annotation : new TreeSet<>(routes.unknownAnnotations())) {
      add(
          "a route takes payload classes with @%s but no class that is known bears it; register them by type(…)"
              .formatted(annotation));
    }
  }

  /**
   * @param handler by which a sender gets its messages, as it was changed by the user
   */
  void checkSending(HandlerSpec<?> handler) {
    if (handler.batchPerKey() != 1) {
      add(
          "batch-per-key of sender \"%s\" was %d but must stay 1, or messages of a key could change their order"
              .formatted(shown(handler.name()), handler.batchPerKey()));
    }
  }

  private static Set<String> without(Set<String> some, Set<String> others) {
    Set<String> rest = new TreeSet<>(some);
    rest.removeAll(others);
    return rest;
  }

  void checkAliases(Map<String, String> aliases, Collection<HandlerSpec<?>> handlers) {
    Set<String> circles = circles(aliases);
    new TreeMap<>(aliases)
        .forEach(
            (old, today) -> {
              checkText("an old type of alias", old, MOST_TYPE_CHARS);
              checkText("a new type of alias", today, MOST_TYPE_CHARS);
              if (circles.contains(old)) {
                add(
                    "alias \"%s\" of \"%s\" leads back to itself; name the type of today"
                        .formatted(shown(old), shown(today)));
              }
            });
    for (HandlerSpec<?> handler : handlers) {
      new TreeSet<>(handler.types())
          .stream()
              .filter(aliases::containsKey)
              .forEach(
                  type ->
                      add(
                          "handler \"%s\" was registered for \"%s\", which is an alias of \"%s\", so it would get nothing; register it for that type"
                              .formatted(handler.name(), type, aliases.get(type))));
    }
  }

  /** Older names that lead back to themselves, in order. */
  private static Set<String> circles(Map<String, String> aliases) {
    Set<String> circular = new HashSet<>();
    for (String old : new TreeMap<>(aliases).keySet()) {
      Set<String> seen = new HashSet<>();
      String name = old;
      while (name != null && seen.add(name)) {
        name = aliases.get(name);
      }
      if (old.equals(name)) {
        circular.add(old);
      }
    }
    return circular;
  }

  /** What is set for a type is looked up by the name of today. */
  void checkRenamed(String what, Set<String> types, Map<String, String> aliases) {
    for (String type : new TreeSet<>(types)) {
      checkText("a type for which " + what, type, MOST_TYPE_CHARS);
      if (aliases.containsKey(type)) {
        add(
            "%s for \"%s\", which is an alias of \"%s\", so it would have no effect; set it for that type"
                .formatted(what, shown(type), shown(aliases.get(type))));
      }
    }
  }

  /** Tables and lists of names hold these, separated by control characters. */
  private void checkText(String what, String text, int mostChars) {
    if (text.isBlank()
        || text.length() > mostChars
        || text.codePoints().anyMatch(ConfigProblems::unprintable)) {
      add(
          "%s was \"%s\" but must have 1 to %d characters and no control characters"
              .formatted(what, shown(text), mostChars));
    }
  }

  private static boolean unprintable(int codePoint) {
    return Character.isISOControl(codePoint) || Character.getType(codePoint) == Character.SURROGATE;
  }

  private static String shown(String text) {
    StringBuilder shown = new StringBuilder();
    text.codePoints()
        .limit(SHOWN_CHARS)
        .forEach(
            c -> {
              switch (c) {
                case '\n' -> shown.append("\\n");
                case '\t' -> shown.append("\\t");
                default -> {
                  if (unprintable(c)) {
                    shown.append("\\u%04x".formatted(c));
                  } else {
                    shown.appendCodePoint(c);
                  }
                }
              }
            });
    return text.codePointCount(0, text.length()) > SHOWN_CHARS ? shown + "…" : shown.toString();
  }

  private boolean notLonger(String key, Duration value, Duration longest, String name) {
    if (value.compareTo(longest) > 0) {
      add("%s was longer than %s; choose a shorter time".formatted(key, name));
      return false;
    }
    return true;
  }

  private void positive(String key, Duration value) {
    if (notLonger(key, value, RetryPolicy.LONGEST_DELAY, "100 years")
        && (value.isNegative() || value.isZero())) {
      add("%s was %s but must be longer than 0s".formatted(key, text(value)));
    }
  }

  private void notNegative(String key, Duration value) {
    if (notLonger(key, value, RetryPolicy.LONGEST_DELAY, "100 years") && value.isNegative()) {
      add("%s was %s but must not be negative".formatted(key, text(value)));
    }
  }

  private void atLeast(String key, long value, long least) {
    if (value < least) {
      add("%s was %d but must be at least %d".formatted(key, value, least));
    }
  }

  private static String text(Duration duration) {
    if (duration.compareTo(RetryPolicy.LONGEST_DELAY) > 0) {
      return "more than 100 years";
    }
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + "s"
        : duration.toMillis() + "ms";
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * What a seed draws: messages, with duplicates and some without an id, how often each fails, and
 * how. Handling one writes its effect to the database. Safe to share between threads.
 */
final class DrawnMessages {
  /** The last one; it never fails. */
  static final String LAST = "last";

  private static final int MESSAGES = 14;
  private static final int FOR_EVER = 1_000;

  private final JdbcTemplate jdbc;
  private final List<Drawn> stream = new ArrayList<>();
  private final Map<String, Failure> failures = new TreeMap<>();
  private final Map<String, AtomicInteger> failuresLeft = new ConcurrentHashMap<>();
  private final Set<String> putAside = ConcurrentHashMap.newKeySet();

  /**
   * @param id null if there is none
   */
  record Drawn(@Nullable String id, String value) {}

  /** How handling a message fails. */
  enum Failure {
    /** An exception that does not say which message it was. */
    PLAIN,
    /** A statement, after which PostgreSQL gives the transaction up. */
    STATEMENT,
    /** Kafka: an exception that says which one of the list it was. */
    AT_INDEX,
    /** Kafka: an exception with the record. */
    OF_RECORD,
    /** RabbitMQ: an exception by which a container rejects without requeueing. */
    NOT_AGAIN,
    /** RabbitMQ: an exception by which a container requeues, whatever its settings are. */
    AGAIN,
    /** The broker is told; RabbitMQ makes it a dead letter. */
    REFUSED,
    /** RabbitMQ is told to put it back into the queue. */
    PUT_BACK;

    /** Whether it concerns all messages of a batch. */
    boolean isOfAll() {
      return this == PLAIN || this == STATEMENT || this == NOT_AGAIN || this == AGAIN;
    }
  }

  /**
   * What may be drawn.
   *
   * @param lasting which failures may go on for ever, since somebody puts their message aside
   * @param withoutIds whether there may be messages without an id
   */
  record Drawing(List<Failure> kinds, Predicate<Failure> lasting, boolean withoutIds) {}

  DrawnMessages(Random random, JdbcTemplate jdbc, Drawing drawing) {
    this.jdbc = jdbc;
    jdbc.execute("CREATE TABLE effect (message text NOT NULL)");
    for (int i = 0; i < MESSAGES; i++) {
      String id = "m" + i;
      stream.add(new Drawn(id, id));
      if (random.nextInt(4) == 0) {
        Failure failure = drawing.kinds.get(random.nextInt(drawing.kinds.size()));
        failures.put(id, failure);
        boolean forEver = drawing.lasting.test(failure) && random.nextInt(3) == 0;
        failuresLeft.put(id, new AtomicInteger(forEver ? FOR_EVER : 1 + random.nextInt(3)));
      }
    }
    for (int i = random.nextInt(8); i > 0; i--) {
      Drawn again = stream.get(random.nextInt(stream.size()));
      stream.add(random.nextInt(stream.size() + 1), again);
    }
    for (int i = drawing.withoutIds ? random.nextInt(3) : 0; i > 0; i--) {
      stream.add(random.nextInt(stream.size() + 1), new Drawn(null, "no id " + i));
    }
    stream.add(new Drawn(LAST, LAST));
  }

  /** Nothing is drawn: ten messages, of which the sixth fails once. */
  DrawnMessages(JdbcTemplate jdbc, Failure sixth) {
    this.jdbc = jdbc;
    jdbc.execute("CREATE TABLE effect (message text NOT NULL)");
    for (int i = 0; i < 10; i++) {
      stream.add(new Drawn("m" + i, "m" + i));
    }
    failures.put("m5", sixth);
    failuresLeft.put("m5", new AtomicInteger(1));
  }

  List<Drawn> stream() {
    return stream;
  }

  /** What a listener does with a message; how it is to fail now, or null. */
  @Nullable Failure handle(String value) {
    jdbc.update("INSERT INTO effect VALUES (?)", value);
    AtomicInteger left = failuresLeft.get(value);
    return left == null || left.getAndDecrement() <= 0 ? null : failures.get(value);
  }

  /** Fails as one does that the broker's library knows nothing of. */
  void fail(Failure failure) {
    if (failure == Failure.STATEMENT) {
      jdbc.update("INSERT INTO effect VALUES (NULL)");
    }
    throw new IllegalStateException("drawn");
  }

  /** The error handler has it now. */
  void putAside(String value) {
    putAside.add(value);
  }

  private Set<String> rows(String sql) {
    List<String> rows = jdbc.queryForList(sql, String.class);
    Set<String> distinct = new TreeSet<>(rows);
    if (distinct.size() < rows.size()) {
      throw new AssertionError("more than one effect: " + rows + " of " + this);
    }
    return distinct;
  }

  /** Whether each message has an effect or was put aside. */
  boolean allArrived() {
    Set<String> arrived = rows("SELECT message FROM effect");
    arrived.addAll(putAside);
    return stream.stream().allMatch(message -> arrived.contains(message.value()));
  }

  /**
   * Each message has one effect, or is where the error handler put it.
   *
   * @param alone a message that fails says so, and costs no other one
   */
  void check(boolean alone) {
    Set<String> effects = rows("SELECT message FROM effect");
    Set<String> recorded = rows("SELECT message_id FROM inbox_message");
    Set<String> innocent = new HashSet<>();
    Set<String> lost = new TreeSet<>();
    for (Drawn message : stream) {
      if (!effects.contains(message.value()) && !putAside.contains(message.value())) {
        lost.add(message.value());
      }
      if (message.id() != null && !failures.containsKey(message.value())) {
        innocent.add(message.value());
      }
    }
    boolean onlyThoseThatFail = failures.values().stream().noneMatch(Failure::isOfAll);
    if (!lost.isEmpty()
        || !effects.equals(recorded)
        || ((alone || onlyThoseThatFail) && !effects.containsAll(innocent))) {
      throw new AssertionError(
          "lost %s; effects %s, recorded %s, put aside %s of %s"
              .formatted(lost, effects, recorded, new TreeSet<>(putAside), this));
    }
  }

  @Override
  public String toString() {
    return stream.stream().map(Drawn::value).toList() + ", failing " + failures;
  }
}

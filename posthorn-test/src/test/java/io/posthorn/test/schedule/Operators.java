/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import io.posthorn.Admin;
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.DeferredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/** Does what operators do, and notes what it may lead to. */
final class Operators {
  private final Supplier<Random> random;
  private final SchedulePlan plan;
  private final Truth truth;

  Operators(Supplier<Random> random, SchedulePlan plan, Truth truth) {
    this.random = random;
    this.plan = plan;
    this.truth = truth;
  }

  private <T> T any(List<T> list) {
    return list.get(random.get().nextInt(list.size()));
  }

  private String anyHandler() {
    return any(plan.handlers()).name();
  }

  /** Steers some message or lane; tells what was done. */
  String steer(Admin admin, String key) {
    return "an operator "
        + switch (random.get().nextInt(6)) {
          case 0 -> retryOne(admin);
          case 1 -> block(admin, anyHandler(), key);
          case 2 -> unblock(admin, anyHandler(), key);
          case 3 -> skipHead(admin, anyHandler(), key);
          case 4 -> cancel(admin);
          default -> runNow(admin);
        };
  }

  private String retryOne(Admin admin) {
    List<DeadLetter> dead = admin.deadLetters().page(Filter.all(), null, 100).items();
    return dead.isEmpty() ? "finds no dead letter" : retry(admin, any(dead));
  }

  private String retry(Admin admin, DeadLetter letter) {
    Truth.Id id = new Truth.Id(letter.handler(), letter.messageId());
    truth.retried(id);
    admin.deadLetters().retry(letter.id());
    return "retries " + truth.name(id);
  }

  private static String block(Admin admin, String handler, String key) {
    admin.lanes().block(handler, key);
    return "blocks %s %s".formatted(handler, key);
  }

  private String unblock(Admin admin, String handler, String key) {
    if (admin.lanes().unblock(handler, key)) {
      truth.unblocked(handler, key);
    }
    return "unblocks %s %s".formatted(handler, key);
  }

  private static List<DeferredEntry> deferred(Admin admin, Filter filter) {
    return admin.deferred().page(filter, null, 100).items().stream()
        .filter(entry -> !entry.handler().equals(DeferredMessage.UNDECIDED))
        .filter(entry -> entry.id().seq() > 0) // otherwise a lane was blocked by hand
        .toList();
  }

  private String skipHead(Admin admin, String handler, String key) {
    List<DeferredEntry> lane = deferred(admin, Filter.all().handler(handler).key(key));
    Optional<EntryId> skipped = admin.lanes().skipHead(handler, key);
    lane.stream()
        .filter(entry -> skipped.filter(entry.id()::equals).isPresent())
        .forEach(entry -> truth.skipped(new Truth.Id(handler, entry.messageId())));
    return "skips the first of %s %s: %s".formatted(handler, key, skipped);
  }

  private String cancel(Admin admin) {
    List<DeferredEntry> waiting =
        deferred(admin, Filter.all()).stream()
            .filter(entry -> entry.reason() != DeferReason.BLOCKED)
            .toList();
    if (waiting.isEmpty()) {
      return "finds nothing to cancel";
    }
    DeferredEntry entry = any(waiting);
    Truth.Id id = new Truth.Id(entry.handler(), entry.messageId());
    truth.cancelled(id);
    admin.deferred().cancel(List.of(entry.id()));
    return "cancels " + truth.name(id);
  }

  private String runNow(Admin admin) {
    List<DeferredEntry> waiting = deferred(admin, Filter.all());
    if (waiting.isEmpty()) {
      return "finds nothing to run now";
    }
    DeferredEntry entry = any(waiting);
    admin.deferred().runNow(List.of(entry.id()));
    return "runs " + truth.name(new Truth.Id(entry.handler(), entry.messageId())) + " now";
  }

  /** Pauses or resumes something; tells what. */
  String pause(Admin admin) {
    int partition = random.get().nextInt(plan.partitions());
    String handler = anyHandler();
    int choice = random.get().nextInt(4);
    switch (choice) {
      case 0 -> admin.fleet().pauseHandler(handler);
      case 1 -> admin.fleet().resumeHandler(handler);
      case 2 -> admin.fleet().pausePartition(partition);
      default -> admin.fleet().resumePartition(partition);
    }
    return "an operator %s %s"
        .formatted(
            choice % 2 == 0 ? "pauses" : "resumes",
            choice < 2 ? handler : "partition " + partition);
  }

  /** Nothing is paused any more. */
  void resumeAll(Admin admin) {
    plan.handlers().forEach(handler -> admin.fleet().resumeHandler(handler.name()));
    for (int partition = 0; partition < plan.partitions(); partition++) {
      admin.fleet().resumePartition(partition);
    }
  }

  /** What was delivered, as far as that is kept. */
  List<Truth.Id> history(Admin admin) {
    List<Truth.Id> all = new ArrayList<>();
    String cursor = null;
    do {
      Admin.Page<HistoryEntry> page =
          admin.history().page(Filter.all(), cursor, Admin.LONGEST_PAGE);
      page.items().forEach(entry -> all.add(new Truth.Id(entry.handler(), entry.messageId())));
      cursor = page.cursor();
    } while (cursor != null);
    return all;
  }

  /** No lane is blocked any more, and dead letters are tried again. */
  void release(Admin admin, List<String> keys) {
    for (DeadLetter letter : admin.deadLetters().page(Filter.all(), null, 1_000).items()) {
      retry(admin, letter);
    }
    plan.handlers().forEach(handler -> keys.forEach(key -> unblock(admin, handler.name(), key)));
  }
}

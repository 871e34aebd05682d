/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.Admin;
import io.posthorn.Admin.Entry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.PosthornException;
import io.posthorn.Relay;
import io.posthorn.verification.history.Intervention.Kind;
import io.posthorn.verification.history.Intervention.Target;
import io.posthorn.verification.history.InterventionLog;
import io.posthorn.verification.history.Nature;
import io.posthorn.verification.history.Receiver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** What an operator does, each time one thing that is drawn. */
final class OperatorDesk {
  private static final int PAGE = 50;
  private static final int MOST_PAUSE = 1_000;
  private static final String NOBODY = "nobody";
  private static final List<String> HANDLERS = Receiver.NAMES.stream().sorted().toList();

  private final Admin admin;
  private final Relay relay;
  private final InterventionLog log;
  private final Random random;
  private final List<String> forgettable;

  /**
   * @param handlers of this instance
   */
  OperatorDesk(Admin admin, Relay relay, InterventionLog log, Random random, Set<String> handlers) {
    // One that is there is not forgotten. If some instances lack it, it may be away for a while.
    this.forgettable = handlers.size() < HANDLERS.size() ? List.of(NOBODY) : HANDLERS;
    this.admin = admin;
    this.relay = relay;
    this.log = log;
    this.random = random;
  }

  void act() throws Exception {
    switch (random.nextInt(21)) {
      case 0 ->
          withDead(it -> noteMessage(Kind.RETRY, it, () -> admin.deadLetters().retry(it.id())));
      case 1 ->
          withDead(it -> noteLane(Kind.RETRY, it, () -> admin.deadLetters().retryAll(laneOf(it))));
      case 2, 3 -> withDead(this::mend);
      case 4 ->
          withDead(
              it ->
                  noteMessage(
                      Kind.RESOLVE, it, () -> admin.deadLetters().resolve(List.of(it.id()))));
      case 5 ->
          withDead(
              it ->
                  noteMessage(Kind.DELETE, it, () -> admin.deadLetters().delete(List.of(it.id()))));
      case 6 -> withDeferred(it -> noteLane(Kind.SKIP, it, () -> skip(it)));
      case 7 -> withDeferred(this::block);
      case 8 ->
          withDeferred(
              it -> noteMessage(Kind.CANCEL, it, () -> admin.deferred().cancel(List.of(it.id()))));
      case 9 ->
          withDeferred(
              it -> noteLane(Kind.CANCEL, it, () -> admin.deferred().cancelAll(laneOf(it))));
      case 10 ->
          withDeferred(
              it -> noteMessage(Kind.RUN_NOW, it, () -> admin.deferred().runNow(List.of(it.id()))));
      case 11 ->
          withHistory(
              it -> noteMessage(Kind.REPLAY, it, () -> admin.history().replay(List.of(it.id()))));
      case 12 ->
          withHistory(it -> noteLane(Kind.REPLAY, it, () -> admin.history().replayAll(laneOf(it))));
      case 13 -> pauseHandler();
      case 14 -> withDeferred(this::pausePartition);
      case 15 -> retryAllOfOneHandler();
      case 16 -> forgetHandler();
      case 17 -> withSomeDeferred(it -> noteAll(Kind.RUN_NOW, it, admin.deferred()::runNow));
      case 18 -> withSomeDeferred(it -> noteAll(Kind.CANCEL, it, admin.deferred()::cancel));
      case 19 -> withSomeDead(it -> noteAll(Kind.RETRY, it, admin.deadLetters()::retry));
      default -> pauseRelay(random.nextInt(MOST_PAUSE));
    }
  }

  // --- which entry

  /** What is done to one entry, or to several. */
  @FunctionalInterface
  private interface Act<T> {
    void to(T target) throws Exception;
  }

  private void withDead(Act<Entry> act) throws Exception {
    withSomeDead(some -> act.to(oneOf(some)));
  }

  private void withSomeDead(Act<List<Entry>> act) throws Exception {
    with(filter -> admin.deadLetters().page(filter, null, PAGE).items(), act);
  }

  private void withDeferred(Act<Entry> act) throws Exception {
    withSomeDeferred(some -> act.to(oneOf(some)));
  }

  private void withSomeDeferred(Act<List<Entry>> act) throws Exception {
    with(filter -> admin.deferred().page(filter, null, PAGE).items(), act);
  }

  private void withHistory(Act<Entry> act) throws Exception {
    with(filter -> admin.history().page(filter, null, PAGE).items(), some -> act.to(oneOf(some)));
  }

  /** Does it to a page; what ends processes is left alone. */
  private void with(Function<Filter, List<? extends Entry>> page, Act<List<Entry>> act)
      throws Exception {
    Filter filter = random.nextBoolean() ? Filter.all() : Filter.all().handler(handler());
    List<Entry> entries = new ArrayList<>(page.apply(filter));
    entries.removeIf(entry -> !isHarmless(entry));
    if (!entries.isEmpty()) {
      act.to(entries);
    }
  }

  private Entry oneOf(List<Entry> entries) {
    return entries.get(random.nextInt(entries.size()));
  }

  private static boolean isHarmless(Entry entry) {
    return !Nature.KILLER.name().equals(headersOf(entry).get(Contents.NATURE));
  }

  private static Map<String, String> headersOf(Entry entry) {
    return entry.message().envelope().headers();
  }

  private String handler() {
    return HANDLERS.get(random.nextInt(HANDLERS.size()));
  }

  // --- what is done

  private <T> void noteMessage(Kind kind, Entry entry, Callable<T> action) throws Exception {
    log.note(kind, Target.message(entry.handler(), entry.messageId()), action);
  }

  /** In one call for all of them. */
  private void noteAll(Kind kind, List<Entry> entries, Function<List<EntryId>, Integer> action)
      throws Exception {
    List<Target> targets =
        entries.stream().map(it -> Target.message(it.handler(), it.messageId())).toList();
    List<EntryId> ids = entries.stream().map(Entry::id).toList();
    log.note(kind, targets, () -> action.apply(ids));
  }

  /** Does nothing to messages without a key: a filter would mean all of them. */
  private <T> void noteLane(Kind kind, Entry entry, Callable<T> action) throws Exception {
    String key = entry.key();
    if (key != null) {
      log.note(kind, Target.lane(entry.handler(), key), action);
    }
  }

  private static Filter laneOf(Entry entry) {
    String key = entry.key();
    Filter lane = Filter.all().handler(entry.handler());
    return key == null ? lane.messageId(entry.messageId()) : lane.key(key);
  }

  private Optional<EntryId> skip(Entry entry) {
    String key = entry.key();
    return key == null ? Optional.empty() : admin.lanes().skipHead(entry.handler(), key);
  }

  /** Removes the reason why nobody takes it, and lets it be delivered again. */
  private void mend(Entry entry) throws Exception {
    Map<String, String> headers = new HashMap<>(headersOf(entry));
    headers.put(Contents.NATURE, Nature.PLAIN.name());
    noteMessage(Kind.EDIT, entry, () -> admin.deadLetters().setHeaders(entry.id(), headers));
    noteMessage(Kind.RETRY, entry, () -> admin.deadLetters().retry(entry.id()));
  }

  private void block(Entry entry) throws Exception {
    String key = entry.key();
    if (key == null || entry.handler().equals(Target.ANY)) {
      return;
    }
    noteLane(Kind.BLOCK, entry, () -> admin.lanes().block(entry.handler(), key));
    rest();
    noteLane(Kind.UNBLOCK, entry, () -> admin.lanes().unblock(entry.handler(), key));
  }

  void unblock(String handler, String key) {
    note(Kind.UNBLOCK, Target.lane(handler, key), () -> admin.lanes().unblock(handler, key));
  }

  private <T> void note(Kind kind, Target target, Callable<T> action) {
    try {
      log.note(kind, target, action);
    } catch (PosthornException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void pauseHandler() throws Exception {
    String handler = handler();
    log.note(
        Kind.PAUSE_HANDLER,
        Target.handler(handler),
        () -> {
          admin.fleet().pauseHandler(handler);
          rest();
          return admin.fleet().resumeHandler(handler);
        });
  }

  private void pausePartition(Entry entry) throws Exception {
    int partition = entry.message().partition();
    noteMessage(
        Kind.PAUSE_PARTITION,
        entry,
        () -> {
          admin.fleet().pausePartition(partition);
          rest();
          return admin.fleet().resumePartition(partition);
        });
  }

  private void forgetHandler() throws Exception {
    String name = forgettable.get(random.nextInt(forgettable.size()));
    log.note(Kind.FORGET_HANDLER, Target.handler(name), () -> admin.fleet().forgetHandler(name));
  }

  private void retryAllOfOneHandler() throws Exception {
    String handler = handler();
    log.note(
        Kind.RETRY,
        Target.handler(handler),
        () -> admin.deadLetters().retryAll(Filter.all().handler(handler)));
  }

  void pauseRelay(long millis) {
    note(
        Kind.PAUSE_RELAY,
        Target.handler(Target.ANY),
        () -> {
          relay.pause();
          TimeUnit.MILLISECONDS.sleep(millis);
          relay.resume();
          return "resumed";
        });
  }

  /** It stands before all messages of its lane. */
  static boolean isBlockedByHand(Admin.DeferredEntry marker) {
    return marker.message().seq() < 0;
  }

  private void rest() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_PAUSE));
  }
}

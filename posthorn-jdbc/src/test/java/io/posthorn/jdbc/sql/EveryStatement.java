/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.sql;

import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.Resolution;
import io.posthorn.AdminAction;
import io.posthorn.jdbc.Dialect;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.ActionPlace;
import io.posthorn.spi.AdminStore.NewAction;
import io.posthorn.spi.AdminStore.Place;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.LaneId;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.RelayStore.DueRequest;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.SeqRange;
import io.posthorn.spi.RelayStore.UnclaimedKind;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Calls everything that a store, its relays, its administration and an inbox can be asked for. */
final class EveryStatement {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final RelayIdentity ME = new RelayIdentity("a", 1);
  private static final EntryId ENTRY = new EntryId(0, 1, "mailer");
  private static final LaneId LANE = new LaneId(0, "mailer", "k");
  private static final UUID ID = new UUID(1, 2);
  private static final Filter FILTER = Filter.all();

  private EveryStatement() {}

  /** What the dialect makes of it, scripts included. */
  static Set<String> of(Dialect dialect) throws Exception {
    RecordingDriver driver =
        new RecordingDriver(
            Map.of(
                "key_hash", List.of(1, "crc32", 1),
                "min(partition_no), max(partition_no)", List.of(1, 0, 0),
                "SELECT partition_no, reason, handler, type",
                    List.of(0, "UNCLAIMED", "mailer", "t"),
                "SELECT d.partition_no, d.handler", List.of(0, "mailer", "k", 1),
                "kind, who, why", List.of(0, "RETRY", "ann", "why", "all", "DONE", 1, 0, 0),
                "nls_database_parameters", List.of("NLS_COMP", "BINARY"),
                "SERVERPROPERTY", List.of(16, 3, 1, 0, "d"),
                "collation_name", List.of()));
    JdbcTransactions transactions = new JdbcTransactions(driver.dataSource());
    JdbcMessageStore store = JdbcMessageStore.builder(driver.dataSource()).dialect(dialect).build();
    store.open();
    transactions.run(connection -> publish(store, transactions.current()));
    store.purgeIdempotency(MINUTE, 10);
    store.purgeReady(MINUTE, 10);
    store.purgeHistory(MINUTE, 10);
    administer(store.admin());
    relay(store.relay(MINUTE));
    InboxTable inbox = InboxTable.builder(driver.dataSource()).dialect(dialect).build();
    transactions.run(
        connection -> {
          inbox.add(transactions.current(), "c", List.of("1", "2", "3"));
          inbox.remove(transactions.current(), "c", List.of("1"));
        });
    inbox.purge(MINUTE, 10);
    return driver.texts();
  }

  private static NewMessage message(NewMessage.@Nullable Delay delay, boolean full) {
    String text = full ? "t" : null;
    Map<String, String> headers = full ? Map.of("a", "b") : Map.of();
    Instant expiry = full ? Instant.EPOCH : null;
    return new NewMessage(
        0,
        new Envelope(ID, "t", text, "k", text, headers, "c", new byte[1], Instant.EPOCH, expiry),
        delay);
  }

  private static void publish(JdbcMessageStore store, Transaction transaction) {
    NewMessage bare = message(null, false);
    store.append(
        transaction, List.of(bare, bare, message(new NewMessage.Delay.After(MINUTE), true)));
    store.append(
        transaction,
        List.of(message(null, true), message(new NewMessage.Delay.Until(Instant.EPOCH), false)));
    store.appendForLogOnly(transaction, List.of(bare, bare));
    store.claim(transaction, "key", ID, MINUTE);
    store.mark(transaction).requireOpen();
    Settlement.Ready ready = new Settlement.Ready(0, 1, ID, "k", List.of(), List.of("mailer"));
    store.settle(transaction, ME, new Settlement(List.of(ready), List.of()), MINUTE);
    store.settle(
        transaction, ME, new Settlement(List.of(), List.of(deferred(Fate.DELIVERED))), MINUTE);
  }

  private static Settlement.Deferred deferred(Fate fate) {
    return new Settlement.Deferred(0, 1, ID, "k", "mailer", fate);
  }

  private static void administer(AdminStore admin) {
    Place after = new Place(ENTRY, Instant.EPOCH);
    Filter all =
        Filter.all()
            .type("t")
            .handler("mailer")
            .key("k")
            .tenant("x")
            .messageId(ID)
            .reason(DeferReason.HELD)
            .errorContains("50%")
            .from(Instant.EPOCH)
            .to(Instant.EPOCH);
    admin.now();
    admin.deadLetter(ENTRY);
    admin.deadLetters(all, after, 10);
    admin.lockDeadLetter(ENTRY);
    admin.latestDeadLetters("mailer", 10);
    admin.countDeadLetters(FILTER, after);
    admin.retry(List.of(ENTRY));
    admin.remove(List.of(ENTRY), new Resolution("ann", "done"));
    admin.setHeaders(ENTRY, Map.of("a", "b"));
    admin.setPayload(ENTRY, null);
    admin.deferred(ENTRY);
    admin.deferred(FILTER, after, 10);
    admin.countDeferred(all, after);
    admin.runNow(List.of(ENTRY));
    admin.cancel(List.of(ENTRY));
    admin.skipHead(LANE, "skipped");
    admin.block(LANE);
    admin.unblock(LANE);
    admin.history(FILTER, after, 10);
    admin.countHistory(FILTER, after);
    admin.replay(List.of(ENTRY));
    admin.forgetHandler("mailer");
    admin.pause(FleetSurvey.Paused.HANDLER, "mailer");
    admin.resume(FleetSurvey.Paused.HANDLER, "mailer");
    admin.pauses();
    admin.survey(10);
    admin.fleet();
    admin.reports();
    admin.ready(all, after, 10);
    admin.open(new NewAction(ID, AdminAction.Kind.RETRY, "ann", null, "all"));
    admin.advance(ID, 1, "here");
    admin.keepOriginal(ID, new AdminAction.Original(Map.of(), null));
    admin.stopAction(ID);
    admin.action(ID);
    admin.actions(new ActionPlace(Instant.EPOCH, ID), 10);
  }

  private static void relay(RelayStore relay) {
    Set<Integer> partitions = Set.of(0);
    Set<String> handlers = Set.of("mailer", "biller");
    relay.join("a", Map.of("mailer", Set.of("t")));
    relay.heartbeat(ME, "");
    relay.survey();
    relay.expelStale(ME);
    relay.take(ME, List.of(new PartitionOwner(0, null, 0)));
    relay.calm(ME, partitions);
    relay.storeFloors(ME, Map.of(0, 1L));
    relay.release(ME, partitions);
    ReadRequest request =
        new ReadRequest(
            List.of(new ReadRequest.Slice(0, 0, 10), new ReadRequest.Slice(1, 0, 10)),
            new long[] {7},
            new ReadRequest.Lanes(List.of("mailer"), partitions),
            10,
            1_000_000,
            ReadRequest.Ask.MARK);
    relay.read(request); // brings a mark, for which the next one asks
    relay.read(request);
    relay.findReady(List.of(new SeqRange(0, 0, 10)), new long[0]);
    relay.floors(ME);
    relay.raiseSequence(ME, 10);
    relay.deferredHandlers(partitions);
    relay.raiseDeferredFloors(ME, partitions);
    relay.readDue(
        new DueRequest(
            List.of(new DueRequest.Heads(0, "mailer", 5), new DueRequest.Heads(1, "mailer", 5)),
            List.of(),
            10,
            10,
            1_000_000));
    relay.readHandler("mailer", List.of(new ReadRequest.Slice(0, 0, 10)));
    relay.unclaimed(partitions, 1);
    UnclaimedKind kind = new UnclaimedKind(0, DeferReason.UNCLAIMED, "mailer", "t");
    relay.makeDue(ME, kind, 0, 10);
    relay.lanesBlockedByHand(partitions, handlers, 10);
    relay.countLanes(partitions, handlers, 10);
    settle(relay);
    relay.retire(ME);
    relay.leave(ME);
    relay.close();
  }

  private static void settle(RelayStore relay) {
    Fate later = new Fate.Deferred(DeferReason.RETRYING, 1, MINUTE, "error");
    Fate dead = new Fate.Dead(1, "error", true);
    List<Settlement.Leftover> leftovers =
        List.of(new Settlement.Leftover("mailer", later), new Settlement.Leftover("biller", dead));
    Settlement.Ready ready = new Settlement.Ready(0, 1, ID, "k", leftovers, List.of("other"));
    relay.settle(
        ME,
        new Settlement(
            List.of(ready),
            List.of(
                deferred(later), deferred(dead), deferred(Fate.KEPT), deferred(new Fate.Ready()))));
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import static java.util.Objects.requireNonNull;

import io.posthorn.HandlerSpec;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.RelayOptions;
import io.posthorn.Route;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.Transactions;
import io.posthorn.verification.history.History;
import io.posthorn.verification.history.ReceiptLog;
import io.posthorn.verification.history.Receiver;
import io.posthorn.verification.history.TruthLog;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** Starts the relay of an instance, with its handlers. */
final class RelaySetup {
  private final InstanceSettings settings;
  private final Transactions transactions;
  private final TruthLog truth;
  private final VitalsMonitor vitals;
  private final CrashPoint crash;
  private final AtomicReference<Posthorn> posthorn = new AtomicReference<>();

  RelaySetup(
      InstanceSettings settings,
      Transactions transactions,
      TruthLog truth,
      VitalsMonitor vitals,
      CrashPoint crash) {
    this.settings = settings;
    this.transactions = transactions;
    this.truth = truth;
    this.vitals = vitals;
    this.crash = crash;
  }

  Posthorn start(MessageStore store) throws IOException, InterruptedException {
    Receivers receivers = receivers();
    while (true) {
      try {
        Posthorn built = build(store, receivers);
        posthorn.set(built); // before the first delivery, which may publish
        built.start();
        return built;
      } catch (RuntimeException e) { // the database may be away: a supervisor would start it again
        e.printStackTrace();
        Thread.sleep(200);
      }
    }
  }

  private Receivers receivers() throws IOException {
    Ledger ledger = new Ledger(transactions, this::outbox, truth);
    return new Receivers(
        new ReceiptLog(settings.life(), History.receiptFile(settings.directory(), settings.life())),
        vitals,
        new Conduct(settings.database(), ledger, new Destination(settings.outages())),
        crash);
  }

  private Outbox outbox() {
    return requireNonNull(posthorn.get(), "posthorn").outbox();
  }

  private Posthorn build(MessageStore store, Receivers receivers) {
    Posthorn.Builder builder =
        Posthorn.inOneProcess(store, transactions)
            .clock(Clock.offset(Clock.systemUTC(), settings.skew()))
            .publish(publish -> publish.acceptUnhandledTypes(true))
            .relay(this::configure);
    settings
        .handlers()
        .forEach(name -> builder.handler(limited(receivers.handler(Receiver.named(name)))));
    if (!settings.broker().isEmpty()) {
      builder.sender("broker", MessageBroker.at(settings.broker()).sender());
      builder.route(Route.otherwise().to("broker", MessageBroker::destination));
    }
    return builder.build();
  }

  private void configure(RelayOptions relay) {
    Tuning tuning = settings.tuning();
    relay
        .name(settings.life())
        .leaseDuration(tuning.lease())
        .heartbeatInterval(tuning.heartbeat())
        .windowMessages(InstanceSettings.WINDOW)
        .workers(tuning.workers())
        .virtualThreads(tuning.virtualThreads())
        .retention(tuning.retention())
        .timeLimit(InstanceSettings.TIME_LIMIT);
  }

  private HandlerSpec<byte[]> limited(HandlerSpec<byte[]> spec) {
    Tuning tuning = settings.tuning();
    if (spec.name().equals(Receiver.AUDIT.label())) {
      return spec.concurrency(tuning.fewWorkers());
    }
    return spec.name().equals(Receiver.SEARCH.label()) && tuning.perSecond() > 0
        ? spec.rateLimit(tuning.perSecond(), Duration.ofSeconds(1))
        : spec;
  }
}

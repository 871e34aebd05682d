/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.instance;

import io.posthorn.Admin;
import io.posthorn.PosthornException;
import io.posthorn.Relay;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.FleetSurvey.Paused;
import io.posthorn.verification.history.InterventionLog;
import io.posthorn.verification.history.Receiver;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Somebody who looks at the outbox and does this and that, as the seed decides. */
final class Operator {
  private static final int MOST_REST = 500;
  private static final int PAGE = 100;

  private final Admin admin;
  private final OperatorDesk desk;
  private final Random random;
  private volatile boolean stopped;
  private @Nullable Thread thread; // of whoever starts and stops it

  Operator(Admin admin, Relay relay, InterventionLog log, Random random, Set<String> handlers) {
    this.admin = admin;
    this.random = random;
    this.desk = new OperatorDesk(admin, relay, log, random, handlers);
  }

  void start() {
    stopped = false;
    Thread started = new Thread(this::work, "operator");
    started.setDaemon(true);
    started.start();
    thread = started;
  }

  void stop() throws InterruptedException {
    stopped = true;
    if (thread != null) {
      thread.join();
    }
  }

  private void work() {
    while (!stopped) {
      try {
        TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_REST));
        desk.act();
      } catch (PosthornException e) { // the database is away, as planned
        System.err.println("operator: " + e);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Pauses the relay of this process. */
  void pauseRelay(long millis) {
    desk.pauseRelay(millis);
  }

  /**
   * Resumes and unblocks everything, so that all can be delivered. Lanes that a dead letter blocks
   * are left to themselves unless their handler wants that: nobody would look at them.
   */
  void tidyUp() {
    for (Pause pause : admin.fleet().pauses()) {
      if (pause.kind() == Paused.HANDLER) {
        admin.fleet().resumeHandler(pause.name());
      } else {
        admin.fleet().resumePartition(Integer.parseInt(pause.name()));
      }
    }
    unblock(Admin.Filter.all(), OperatorDesk::isBlockedByHand);
    unblock();
  }

  /** Lets lanes go on that dead letters have blocked, as far as the database is there. */
  void unblock() {
    for (Receiver receiver : Receiver.values()) {
      try {
        if (receiver.blocks()) {
          unblock(Admin.Filter.all().handler(receiver.label()), marker -> true);
        }
      } catch (PosthornException e) { // the database is away, as planned
        System.err.println("unblock: " + e);
      }
    }
  }

  private void unblock(Admin.Filter filter, Predicate<Admin.DeferredEntry> which) {
    for (Admin.DeferredEntry marker :
        admin.deferred().page(filter.reason(DeferReason.BLOCKED), null, PAGE).items()) {
      String key = marker.key();
      if (key != null && which.test(marker)) {
        desk.unblock(marker.handler(), key);
      }
    }
  }
}

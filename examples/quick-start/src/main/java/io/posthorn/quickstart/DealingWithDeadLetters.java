/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.quickstart;

import io.posthorn.Admin;
import io.posthorn.Posthorn;
import io.posthorn.spi.DeferReason;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The code of docs/operations.md, so that it compiles. */
final class DealingWithDeadLetters {
  private DealingWithDeadLetters() {}

  static void show(Posthorn posthorn, Instant yesterday) {
    // docs:begin
    Admin admin = posthorn.admin();

    // Look: what died of what? A page has a cursor for the next one.
    Admin.Filter timeouts = Admin.Filter.all().handler("mailer").errorContains("timeout");
    System.out.println(admin.countDeadLetters(timeouts));
    for (Admin.DeadLetter letter : admin.deadLetters(timeouts, null, 100).items()) {
      System.out.println(letter.id() + " " + letter.error());
      // Change its headers; deliver it again; or say that it was dealt with.
      admin.setHeaders(letter.id(), Map.of("region", "north"));
      admin.retry(letter.id());
      admin.resolve(List.of(letter.id()));
    }
    // All that match, 500 at a time.
    admin.retryAll(timeouts);

    // Deferred messages: why do they wait? Do not wait any longer; or never deliver it.
    Admin.Filter retrying = Admin.Filter.all().reason(DeferReason.RETRYING);
    for (Admin.DeferredEntry entry : admin.deferred(retrying, null, 100).items()) {
      admin.runNow(List.of(entry.id()));
      admin.cancel(List.of(entry.id()));
    }

    // A handler was removed on purpose: keep no more for it, and drop what was kept.
    admin.forgetHandler("ship");
    admin.cancelAll(Admin.Filter.all().handler("ship"));

    // A lane (one handler, one key) that a dead letter, or a person, keeps blocked.
    admin.unblockLane("mailer", "order-17");
    admin.skipHead("mailer", "order-17");
    admin.blockLane("mailer", "order-17");

    // The whole fleet, until it is resumed, through restarts. Relay.pause() is for one process.
    admin.pauseHandler("mailer");
    admin.resumeHandler("mailer");
    admin.pausePartition(7);

    // With relay.retention set: deliver once more.
    admin.replayAll(Admin.Filter.all().handler("search").from(yesterday));
    // docs:end
  }
}

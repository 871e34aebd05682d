/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.quickstart;

import io.posthorn.ActionRun;
import io.posthorn.Admin;
import io.posthorn.AdminAction;
import io.posthorn.DeadLetters;
import io.posthorn.Fleet;
import io.posthorn.Posthorn;
import io.posthorn.spi.DeferReason;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The code of docs/operations.md, so that it compiles. */
final class DealingWithDeadLetters {
  private DealingWithDeadLetters() {}

  static void show(Posthorn posthorn, byte[] mended, Instant yesterday, Instant deadline) {
    // docs:begin
    // Who acts, and why, is recorded.
    Admin admin = posthorn.admin().as("anna", "the mail server is back");

    // What died of what? The largest groups of handler and error first.
    for (DeadLetters.Group group : admin.deadLetters().groups(null).groups()) {
      System.out.println(group.letters() + " × " + group.handler() + ": " + group.error());
    }

    // Look at some. A page has a cursor for the next one.
    Admin.Filter timeouts = Admin.Filter.all().handler("mailer").errorContains("timeout");
    System.out.println(admin.deadLetters().count(timeouts).entries());
    for (Admin.DeadLetter letter : admin.deadLetters().page(timeouts, null, 100).items()) {
      System.out.println(letter.id() + " " + letter.error());
      // Mend it; deliver it again; or say that it was dealt with.
      admin.deadLetters().setHeaders(letter.id(), Map.of("region", "north"));
      admin.deadLetters().setPayload(letter.id(), mended);
      admin.deadLetters().retry(letter.id());
      admin.deadLetters().resolve(List.of(letter.id()));
    }
    // All that match, 500 at a time: watched, and stopped if it takes too long.
    ActionRun run = ActionRun.of(UUID.randomUUID());
    admin
        .deadLetters()
        .retryAll(
            timeouts,
            run.whileTrue(
                action -> {
                  System.out.println(action.entries() + " so far");
                  return Instant.now().isBefore(deadline);
                }));

    // Headers of all that match.
    DeadLetters.HeaderEdit edit =
        new DeadLetters.HeaderEdit(Map.of("region", "north"), Set.of("retry-of"));
    admin.deadLetters().editAllHeaders(timeouts, edit, ActionRun.once());

    // Deferred messages: why do they wait? Do not wait any longer; or never deliver it.
    Admin.Filter retrying = Admin.Filter.all().reason(DeferReason.RETRYING);
    for (Admin.DeferredEntry entry : admin.deferred().page(retrying, null, 100).items()) {
      admin.deferred().runNow(List.of(entry.id()));
      admin.deferred().skip(List.of(entry.id())); // a dead letter, which can be retried
      admin.deferred().cancel(List.of(entry.id()));
    }

    // A handler was removed on purpose: keep no more for it, and drop what was kept.
    admin.fleet().forgetHandler("ship");
    admin.deferred().cancelAll(Admin.Filter.all().handler("ship"));

    // A lane (one handler, one key) that a dead letter, or an operator, keeps blocked.
    admin.lanes().unblock("mailer", "order-17");
    admin.lanes().skipHead("mailer", "order-17");
    admin.lanes().block("mailer", "order-17");

    // The whole fleet, until it is resumed, through restarts. Relay.pause() is for one process.
    admin.fleet().pauseHandler("mailer");
    admin.fleet().resumeHandler("mailer");
    admin.fleet().pausePartition(7);

    // With relay.retention set: deliver once more.
    admin.history().replayAll(Admin.Filter.all().handler("search").from(yesterday));

    // Resolved by mistake: dead letters again.
    admin.history().reopenAll(Admin.Filter.all().onlyResolved().from(yesterday));

    // Each handler, seen over the whole fleet; and the last hour, once recorded.
    for (Fleet.HandlerState handler : admin.fleet().handlers()) {
      System.out.println(handler.name() + " " + handler.deliveredPerSecond() + "/s");
    }
    System.out.println(admin.fleet().recent().size() + " samples");

    // What was done, by whom, and to how many; the newest first.
    for (AdminAction action : admin.actions().page(null, 20).items()) {
      System.out.println(action.startedAt() + " " + action.who() + " " + action.kind());
    }
    // docs:end
  }
}

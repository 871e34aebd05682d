/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import io.posthorn.Admin;
import java.io.IOException;
import java.time.Duration;

/**
 * What a person does about dead letters: looks at them, mends the cause, and has them delivered
 * after all. For one thread.
 */
final class Repair {
  private static final Admin.Filter MAILS = Admin.Filter.all().handler(DemoHandlers.MAILER);

  private final Admin admin;
  private final MailServer server;
  private final LiveView view;

  Repair(Admin admin, MailServer server, LiveView view) {
    this.admin = admin;
    this.server = server;
    this.view = view;
  }

  /** Shows the dead letters, and retries them all. */
  void retryAll(Duration elapsed) throws IOException {
    long found = admin.deadLetters().count(MAILS).entries();
    for (Admin.DeadLetter example : admin.deadLetters().page(MAILS, null, 1).items()) {
      view.tell(
          elapsed,
          "%d dead letters of \"%s\"; the first: %s"
              .formatted(found, example.handler(), example.error().lines().findFirst().orElse("")));
    }
    server.mendAddresses();
    long retried = admin.deadLetters().retryAll(MAILS);
    view.tell(elapsed, "the addresses are mended; %d dead letters retried".formatted(retried));
  }

  /**
   * @param delivered how many of them the relays have delivered since
   */
  void tellResult(Duration elapsed, long delivered) {
    view.tell(
        elapsed,
        "%d of them delivered, %d dead letters left"
            .formatted(delivered, admin.deadLetters().count(Admin.Filter.all()).entries()));
  }
}

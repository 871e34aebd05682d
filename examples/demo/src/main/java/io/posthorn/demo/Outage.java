/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;

/**
 * The second fault of the demo: the mail server is down for a fifth of the run, late enough that on
 * most machines the first one is over. For one thread.
 */
final class Outage {
  private static final Duration LONGEST = Duration.ofSeconds(5);

  /** Long enough that the partitions of the killed relay have found another. */
  private static final Duration PATIENCE = DemoRelay.LEASE.multipliedBy(2);

  private final MailServer server;
  private final LiveView view;
  private final Duration from;
  private final Duration until;
  private final Duration latest;
  private Stage stage = Stage.AHEAD;
  private long waited;
  private long opened;
  private long closed;

  private enum Stage {
    AHEAD,
    DOWN,
    OVER
  }

  /**
   * What is to be told about it afterwards.
   *
   * @param waited the messages that waited for the mail server when it was back
   * @param opened circuits, one in each relay that noticed
   * @param closed circuits
   */
  record Summary(long waited, long opened, long closed) {}

  Outage(MailServer server, LiveView view, Duration run) {
    Duration fifth = run.dividedBy(5);
    this.server = server;
    this.view = view;
    this.from = run.multipliedBy(7).dividedBy(10);
    this.until = from.plus(fifth.compareTo(LONGEST) < 0 ? fifth : LONGEST);
    this.latest = run.plus(PATIENCE);
  }

  /**
   * Does what is due, and tells what the relays noticed.
   *
   * @param waiting how many messages wait for the mail server
   */
  void step(Duration elapsed, Receipts receipts, long waiting) throws IOException {
    receipts.newsOfCircuits().forEach(receipt -> tell(elapsed, receipt));
    switch (stage) {
      case AHEAD -> beginWhenDue(elapsed);
      case DOWN -> endWhenDue(elapsed, waiting);
      case OVER -> {}
    }
  }

  private void beginWhenDue(Duration elapsed) throws IOException {
    if (elapsed.compareTo(from) >= 0) {
      server.goDown();
      stage = Stage.DOWN;
      view.tell(elapsed, "the mail server goes down");
    }
  }

  /** With few messages it may take until after the run that a relay has noticed. */
  private void endWhenDue(Duration elapsed, long waiting) throws IOException {
    if (elapsed.compareTo(opened > 0 ? until : latest) >= 0) {
      server.comeBack();
      stage = Stage.OVER;
      waited = waiting;
      view.tell(elapsed, "the mail server is back; %d messages wait for it".formatted(waiting));
    }
  }

  private void tell(Duration elapsed, Receipt receipt) {
    if (receipt.kind() == Receipt.Kind.OPENED) {
      opened++;
      view.tell(
          elapsed,
          "%s opened the circuit of \"%s\": its messages wait, and no attempt is counted"
              .formatted(receipt.relay(), receipt.handler()));
    } else {
      closed++;
      view.tell(
          elapsed,
          String.format(
              Locale.ROOT,
              "%s closed the circuit of \"%s\" after %.1f s",
              receipt.relay(),
              receipt.handler(),
              LiveView.seconds(Duration.ofMillis(receipt.number()))));
    }
  }

  Summary summary() {
    return new Summary(waited, opened, closed);
  }
}

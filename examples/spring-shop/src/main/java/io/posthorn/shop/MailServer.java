/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** Stands for somebody else's service, which can be switched off. */
@Component
class MailServer {
  private final List<Mail> sent = new CopyOnWriteArrayList<>();
  private volatile boolean up = true;

  record Mail(String to, String text) {}

  /** It is down: no mail can be sent now. */
  static final class NoAnswer extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoAnswer() {
      super("no answer");
    }
  }

  /** This mail can never be sent. */
  static final class BadAddress extends RuntimeException {
    private static final long serialVersionUID = 1;

    BadAddress() {
      super("not an e-mail address");
    }
  }

  void send(String to, String text) {
    if (!up) {
      throw new NoAnswer();
    }
    if (!to.contains("@")) {
      throw new BadAddress();
    }
    sent.add(new Mail(to, text));
  }

  void setUp(boolean up) {
    this.up = up;
  }

  List<Mail> sent() {
    return List.copyOf(sent);
  }
}

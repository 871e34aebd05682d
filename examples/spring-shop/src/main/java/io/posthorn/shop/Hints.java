/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Says what to try. */
@Component
class Hints {
  private final Environment environment;

  Hints(Environment environment) {
    this.environment = environment;
  }

  @EventListener(ApplicationReadyEvent.class)
  void print() {
    System.out.printf(
        """

          The shop is open at http://localhost:%1$s. Try, in another terminal:

            order      curl -X POST localhost:%1$s/orders -H 'Content-Type: application/json' -d '{"item": "lamp", "email": "ada@example.com"}'
            see mails  curl localhost:%1$s/mail

            switch the mail server off, and on again; orders are taken all the same, and their mails follow
                       curl -X POST localhost:%1$s/mail/down
                       curl -X POST localhost:%1$s/mail/up

            order with "email": "nowhere", and it cannot be mailed: see the dead letter, correct it, retry
                       curl localhost:%1$s/dead-letters
                       curl -X PUT localhost:%1$s/orders/{id}/email -H 'Content-Type: application/json' -d '{"email": "bob@example.com"}'
                       curl -X POST localhost:%1$s/dead-letters/retry

            watch      http://localhost:%1$s/posthorn in a browser: the dashboard
                       curl localhost:%1$s/actuator/health
                       curl localhost:%1$s/actuator/metrics/posthorn.delivered

          Ctrl-C stops it.
          """,
        environment.getProperty("local.server.port"));
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Shows the mails, and switches the mail server off and on. */
@RestController
@RequestMapping("/mail")
class MailController {
  private final MailServer server;

  MailController(MailServer server) {
    this.server = server;
  }

  @GetMapping
  List<MailServer.Mail> sent() {
    return server.sent();
  }

  @PostMapping("/down")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void down() {
    server.setUp(false);
  }

  @PostMapping("/up")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void up() {
    server.setUp(true);
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import io.posthorn.Admin;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** For people: what could not be delivered. A real application lets only some of them in. */
@RestController
@RequestMapping("/dead-letters")
class DeadLetterController {
  private static final int PAGE = 100;

  private final Admin admin;

  DeadLetterController(Admin admin) {
    this.admin = admin;
  }

  record Letter(String type, @Nullable String key, String handler, int attempts, String error) {}

  record Retried(long messages) {}

  @GetMapping
  List<Letter> firstPage() {
    return admin.deadLetters().page(Admin.Filter.all(), null, PAGE).items().stream()
        .map(
            dead ->
                new Letter(dead.type(), dead.key(), dead.handler(), dead.attempts(), dead.error()))
        .toList();
  }

  @PostMapping("/retry")
  Retried retry() {
    return new Retried(admin.deadLetters().retryAll(Admin.Filter.all()));
  }
}

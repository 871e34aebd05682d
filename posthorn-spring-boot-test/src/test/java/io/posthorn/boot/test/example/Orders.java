/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test.example;

import io.posthorn.Outbox;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Takes orders. */
@Service
class Orders {
  private final Outbox outbox;

  Orders(Outbox outbox) {
    this.outbox = outbox;
  }

  @Transactional
  public void place(String id, String customer) {
    outbox.publish(new OrderPlaced(id, customer));
  }
}

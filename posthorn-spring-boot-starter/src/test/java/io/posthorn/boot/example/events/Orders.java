/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.events;

import java.util.UUID;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Knows Spring's events only. */
@Service
class Orders {
  private final ApplicationEventPublisher events;

  Orders(ApplicationEventPublisher events) {
    this.events = events;
  }

  // docs:begin
  @Transactional
  public void place(UUID id, Region region) {
    events.publishEvent(new OrderPlaced(id, region)); // Spring's ApplicationEventPublisher
  }
  // docs:end
}

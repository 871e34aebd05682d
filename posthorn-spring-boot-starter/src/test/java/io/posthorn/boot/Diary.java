/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.spring.OutboxHandler;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.MDC;

/** A handler that keeps what a line in its log would show. */
class Diary {
  private final BlockingQueue<Map<String, String>> entries = new LinkedBlockingQueue<>();

  @OutboxHandler(name = "diary")
  void note(Shop.Order order) {
    Map<String, String> found = MDC.getCopyOfContextMap();
    entries.add(found == null ? Map.of() : found);
  }

  Map<String, String> next() throws InterruptedException {
    Map<String, String> entry = entries.poll(20, TimeUnit.SECONDS);
    if (entry == null) {
      throw new AssertionError("nothing was delivered in time");
    }
    return entry;
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import io.posthorn.servers.KafkaServer;
import java.util.HashMap;
import java.util.Map;

/** A broker of a subject's own, with the topic that its messages go to. */
final class KafkaTopic implements AutoCloseable {
  static final String NAME = "orders";

  private final KafkaServer server = new KafkaServer();

  KafkaTopic() {
    server.start();
  }

  /** What both the hand-written relay and Posthorn's sender are told; the rest are defaults. */
  Map<String, Object> settings() {
    return new HashMap<>(Map.of("bootstrap.servers", server.bootstrapServers()));
  }

  @Override
  public void close() {
    server.close();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import io.posthorn.servers.KafkaServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;

/** A broker of a subject's own, with the topic that its messages go to. */
final class KafkaTopic implements AutoCloseable {
  static final String NAME = "orders";
  static final String STUCK = "stuck-orders";
  private static final String MIN_REPLICAS = "min.insync.replicas";

  private final KafkaServer server = new KafkaServer();

  KafkaTopic() {
    server.start();
  }

  /** What both the hand-written relay and Posthorn's sender are told; the rest are defaults. */
  Map<String, Object> settings() {
    return new HashMap<>(Map.of("bootstrap.servers", server.bootstrapServers()));
  }

  /** Makes the stuck topic want more replicas than there are brokers, or no longer. */
  void stick(boolean stuck) throws Exception {
    try (Admin admin = Admin.create(settings())) {
      if (stuck && !admin.listTopics().names().get().contains(STUCK)) {
        NewTopic topic = new NewTopic(STUCK, 1, (short) 1);
        admin.createTopics(List.of(topic)).all().get();
      }
      AlterConfigOp wanted =
          new AlterConfigOp(
              new ConfigEntry(MIN_REPLICAS, stuck ? "2" : "1"), AlterConfigOp.OpType.SET);
      ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, STUCK);
      admin.incrementalAlterConfigs(Map.of(topic, List.of(wanted))).all().get();
    }
  }

  @Override
  public void close() {
    server.close();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import static java.util.Objects.requireNonNull;

import io.posthorn.servers.KafkaServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;

/** A broker of a subject's own, with the topic that its messages go to. */
final class KafkaTopic implements AutoCloseable {
  static final String NAME = "orders";
  static final String STUCK = "stuck-orders";
  private static final String MIN_REPLICAS = "min.insync.replicas";
  private static final Duration REPLICA_PATIENCE = Duration.ofSeconds(60);
  private static final Duration REPLICA_LOOK = Duration.ofMillis(100);

  private final KafkaServer server = new KafkaServer();
  private final KafkaServer second = KafkaServer.joining(server);

  KafkaTopic() {
    server.start();
  }

  /** What both the hand-written relay and Posthorn's sender are told; the rest are defaults. */
  Map<String, Object> settings() {
    return new HashMap<>(Map.of("bootstrap.servers", server.bootstrapServers()));
  }

  /** Takes one of the two replicas away that a second topic needs, or brings it back. */
  void stick(boolean stuck) throws Exception {
    if (!stuck) {
      second.start();
      return;
    }
    if (!second.running()) {
      second.start();
    }
    try (Admin admin = Admin.create(settings())) {
      if (!admin.listTopics().names().get().contains(STUCK)) {
        NewTopic topic =
            new NewTopic(STUCK, Map.of(0, List.of(1, 2))).configs(Map.of(MIN_REPLICAS, "2"));
        admin.createTopics(List.of(topic)).all().get();
      }
      second.kill();
      awaitSingleReplica(admin);
    }
  }

  /**
   * Until then the broker holds requests for the topic back, and with them all that the same
   * producer sends: up to request.timeout.ms, once. That is Kafka's, and not measured here.
   */
  private static void awaitSingleReplica(Admin admin) throws Exception {
    long end = System.nanoTime() + REPLICA_PATIENCE.toNanos();
    while (inSyncReplicas(admin) > 1) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("the replica is still in sync after " + REPLICA_PATIENCE);
      }
      LockSupport.parkNanos(REPLICA_LOOK.toNanos());
    }
  }

  private static int inSyncReplicas(Admin admin) throws Exception {
    TopicDescription topic = admin.describeTopics(List.of(STUCK)).allTopicNames().get().get(STUCK);
    return requireNonNull(topic, STUCK).partitions().get(0).isr().size();
  }

  @Override
  public void close() {
    second.close();
    server.close();
  }
}

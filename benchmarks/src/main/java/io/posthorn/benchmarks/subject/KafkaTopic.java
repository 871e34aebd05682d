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
  static final String SECOND = "second-orders";
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

  /** Creates a second topic with two replicas, both of which must have a message. */
  void createSecond() throws Exception {
    try (Admin admin = Admin.create(settings())) {
      createFirst(admin);
      if (!admin.listTopics().names().get().contains(SECOND)) {
        second.start();
        NewTopic topic =
            new NewTopic(SECOND, Map.of(0, List.of(1, 2))).configs(Map.of(MIN_REPLICAS, "2"));
        admin.createTopics(List.of(topic)).all().get();
      }
    }
  }

  /** By itself it could be created on the second broker. */
  private static void createFirst(Admin admin) throws Exception {
    if (!admin.listTopics().names().get().contains(NAME)) {
      Map<Integer, List<Integer>> onTheFirst = Map.of(0, List.of(1), 1, List.of(1), 2, List.of(1));
      admin.createTopics(List.of(new NewTopic(NAME, onTheFirst))).all().get();
    }
  }

  /** Takes one of the two replicas away that the second topic needs, or brings it back. */
  void stick(boolean stuck) {
    if (stuck) {
      second.kill();
    } else {
      second.start();
    }
  }

  /** Until then the broker takes messages for the second topic, and does not answer. */
  void awaitSingleReplica() throws Exception {
    long end = System.nanoTime() + REPLICA_PATIENCE.toNanos();
    try (Admin admin = Admin.create(settings())) {
      while (inSyncReplicas(admin) > 1) {
        if (System.nanoTime() > end) {
          throw new IllegalStateException("the replica is still in sync after " + REPLICA_PATIENCE);
        }
        LockSupport.parkNanos(REPLICA_LOOK.toNanos());
      }
    }
  }

  private static int inSyncReplicas(Admin admin) throws Exception {
    TopicDescription topic =
        admin.describeTopics(List.of(SECOND)).allTopicNames().get().get(SECOND);
    return requireNonNull(topic, SECOND).partitions().get(0).isr().size();
  }

  @Override
  public void close() {
    second.close();
    server.close();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.servers.KafkaServer;
import io.posthorn.verification.instance.BrokerConsumers;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/**
 * One node of Kafka. A topic takes nothing while more in-sync replicas are asked for than exist.
 */
record ChaosKafka(KafkaServer server) implements ChaosBroker {
  private static final int PARTITIONS = 2;
  private static final int PATIENCE_SECONDS = 30;

  private interface Question {
    KafkaFuture<?> ask(Admin admin);
  }

  static ChaosKafka start() throws Exception {
    ChaosKafka kafka =
        new ChaosKafka(new KafkaServer().withSetting("message.max.bytes", "2000000"));
    try {
      kafka.server.start();
      List<NewTopic> topics =
          BrokerConsumers.destinations().stream()
              .map(name -> new NewTopic(name, PARTITIONS, (short) 1))
              .toList();
      kafka.ask(admin -> admin.createTopics(topics).all());
      return kafka;
    } catch (Exception e) {
      try (kafka) {
        throw e;
      }
    }
  }

  private void ask(Question question) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
      question.ask(admin).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Override
  public String address() {
    return server.bootstrapServers();
  }

  @Override
  public void closeDestination(String name) throws Exception {
    demandReplicas(List.of(name), 2);
  }

  @Override
  public void openDestination(String name) throws Exception {
    demandReplicas(List.of(name), 1);
  }

  @Override
  public void refuseMessages() throws Exception {
    demandReplicas(BrokerConsumers.destinations(), 2);
  }

  @Override
  public void takeMessages() throws Exception {
    demandReplicas(BrokerConsumers.destinations(), 1);
  }

  private void demandReplicas(List<String> topics, int number) throws Exception {
    ConfigEntry entry =
        new ConfigEntry(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, Integer.toString(number));
    List<AlterConfigOp> change = List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET));
    Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
    topics.forEach(
        topic -> changes.put(new ConfigResource(ConfigResource.Type.TOPIC, topic), change));
    ask(admin -> admin.incrementalAlterConfigs(changes).all());
  }
}

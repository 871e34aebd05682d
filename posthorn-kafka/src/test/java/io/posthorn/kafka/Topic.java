/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.servers.KafkaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A topic, by default with three partitions, and what is in it. */
record Topic(KafkaServer server, String name) {
  private static final int PARTITIONS = 3;

  /** The broker of this JVM; the first call starts it. */
  static KafkaServer broker() {
    Shared.SERVER.start();
    return Shared.SERVER;
  }

  private static final class Shared {
    static final KafkaServer SERVER =
        new KafkaServer()
            .withSetting("auto.create.topics.enable", "false")
            .withSetting(
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
            .withSetting("allow.everyone.if.no.acl.found", "true")
            // Quotas are of 3 s, so that little is enough to exceed one.
            .withSetting("quota.window.num", "3");
  }

  /** Asks the cluster to do something. */
  @FunctionalInterface
  interface AdminCall {
    KafkaFuture<?> on(Admin admin);
  }

  static Topic create(KafkaServer server, Map<String, String> settings) throws Exception {
    return create(server, new NewTopic(anyName(), PARTITIONS, (short) 1).configs(settings));
  }

  static Topic create(KafkaServer server, NewTopic topic) throws Exception {
    ask(server, admin -> admin.createTopics(List.of(topic)).all());
    return new Topic(server, topic.name());
  }

  static String anyName() {
    return "topic-" + UUID.randomUUID();
  }

  static void ask(KafkaServer server, AdminCall call) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
      call.on(admin).get(30, TimeUnit.SECONDS);
    }
  }

  /** Adds partitions until there are so many. */
  void growTo(int partitions) throws Exception {
    ask(
        server,
        admin -> admin.createPartitions(Map.of(name, NewPartitions.increaseTo(partitions))).all());
  }

  void delete() throws Exception {
    ask(server, admin -> admin.deleteTopics(List.of(name)).all());
  }

  /** An empty topic of this name. */
  Topic createAgain() throws Exception {
    return create(server, new NewTopic(name, PARTITIONS, (short) 1));
  }

  /** From now on nobody may write to it. */
  void forbidWriting() throws Exception {
    AccessControlEntry nobody =
        new AccessControlEntry("User:*", "*", AclOperation.WRITE, AclPermissionType.DENY);
    ResourcePattern pattern = new ResourcePattern(ResourceType.TOPIC, name, PatternType.LITERAL);
    ask(server, admin -> admin.createAcls(List.of(new AclBinding(pattern, nobody))).all());
  }

  /** From now on those may write to it whom nothing else forbids it. */
  void allowWriting() throws Exception {
    ResourcePatternFilter pattern =
        new ResourcePatternFilter(ResourceType.TOPIC, name, PatternType.LITERAL);
    AclBindingFilter all = new AclBindingFilter(pattern, AccessControlEntryFilter.ANY);
    ask(server, admin -> admin.deleteAcls(List.of(all)).all());
  }

  /**
   * Everything that is in it, in the order of each partition.
   *
   * @param atLeast how many to wait for, within the limit
   */
  List<ConsumerRecord<String, byte[]>> read(int atLeast, Duration limit) {
    List<ConsumerRecord<String, byte[]>> all = new ArrayList<>();
    try (KafkaConsumer<String, byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", server.bootstrapServers(), "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new ByteArrayDeserializer())) {
      Collection<TopicPartition> partitions =
          consumer.partitionsFor(name).stream()
              .map(partition -> new TopicPartition(name, partition.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long end = System.nanoTime() + limit.toNanos();
      while (System.nanoTime() < end && (all.size() < atLeast || more(consumer, partitions))) {
        consumer.poll(Duration.ofMillis(100)).forEach(all::add);
      }
    }
    return all;
  }

  private static boolean more(
      KafkaConsumer<String, byte[]> consumer, Collection<TopicPartition> partitions) {
    return consumer.endOffsets(partitions).entrySet().stream()
        .anyMatch(end -> consumer.position(end.getKey()) < end.getValue());
  }

  /** The payloads of one key, in order. */
  static List<String> texts(List<ConsumerRecord<String, byte[]>> records, String key) {
    return records.stream()
        .filter(record -> key.equals(record.key()))
        .map(record -> new String(record.value(), UTF_8))
        .toList();
  }
}

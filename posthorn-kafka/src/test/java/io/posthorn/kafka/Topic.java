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
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
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

/** A topic with three partitions, and what is in it. */
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
            .withSetting("allow.everyone.if.no.acl.found", "true");
  }

  static Topic create(KafkaServer server, Map<String, String> settings) throws Exception {
    String name = "topic-" + UUID.randomUUID();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
      admin
          .createTopics(List.of(new NewTopic(name, PARTITIONS, (short) 1).configs(settings)))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
    return new Topic(server, name);
  }

  /** From now on nobody may write to it. */
  void forbidWriting() throws Exception {
    AccessControlEntry nobody =
        new AccessControlEntry("User:*", "*", AclOperation.WRITE, AclPermissionType.DENY);
    ResourcePattern pattern = new ResourcePattern(ResourceType.TOPIC, name, PatternType.LITERAL);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
      admin.createAcls(List.of(new AclBinding(pattern, nobody))).all().get(30, TimeUnit.SECONDS);
    }
  }

  /** From now on those may write to it whom nothing else forbids it. */
  void allowWriting() throws Exception {
    ResourcePatternFilter pattern =
        new ResourcePatternFilter(ResourceType.TOPIC, name, PatternType.LITERAL);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
      admin
          .deleteAcls(List.of(new AclBindingFilter(pattern, AccessControlEntryFilter.ANY)))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
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
          IntStream.range(0, PARTITIONS).mapToObj(p -> new TopicPartition(name, p)).toList();
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

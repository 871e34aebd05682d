/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A Kafka broker of our own, in a JVM of its own. The first one is its own controller; a second one
 * joins it. Listens on 127.0.0.1 only. The class path of this JVM must have {@code kafka_2.13}.
 */
public final class KafkaServer implements BrokerServer {

  private static final Duration FORMAT_LIMIT = Duration.ofSeconds(60);
  private static final int ASK_MILLIS = 500;

  private final ReservedPort port = ReservedPort.find();
  private final ReservedPort controllerPort;
  private final boolean controller;
  private final Map<String, String> settings = new TreeMap<>();
  private final ServerLifecycle<ProcessDaemon> lifecycle =
      new ServerLifecycle<>("kafka", port, this::prepare);

  /** Not yet started. Its node id is 1. */
  public KafkaServer() {
    controller = true;
    controllerPort = ReservedPort.find();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "1");
    settings.put(
        "listeners", listener("PLAINTEXT", port) + "," + listener("CONTROLLER", controllerPort));
    settings.put("advertised.listeners", listener("PLAINTEXT", port));
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put("controller.quorum.bootstrap.servers", "127.0.0.1:" + controllerPort.number());
    settings.put("auto.create.topics.enable", "true");
    settings.put("num.partitions", "3");
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("transaction.state.log.replication.factor", "1");
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("share.coordinator.state.topic.replication.factor", "1");
    settings.put("share.coordinator.state.topic.min.isr", "1");
    settings.put("group.initial.rebalance.delay.ms", "0");
    // After a kill the controller must notice that the broker was away before it lets it in again.
    settings.put("broker.session.timeout.ms", "1000");
    settings.put("broker.heartbeat.interval.ms", "250");
  }

  private KafkaServer(KafkaServer first) {
    controller = false;
    controllerPort = first.controllerPort;
    settings.putAll(first.settings);
    settings.put("process.roles", "broker");
    settings.put("node.id", "2");
    settings.put("listeners", listener("PLAINTEXT", port));
    settings.put("advertised.listeners", listener("PLAINTEXT", port));
  }

  /**
   * A second broker of the first one's cluster, not yet started. It has the first one's settings
   * and the node id 2. Without the first one no partition gets another leader.
   */
  public static KafkaServer joining(KafkaServer first) {
    return new KafkaServer(first);
  }

  private static String listener(String name, ReservedPort port) {
    return name + "://127.0.0.1:" + port.number();
  }

  /** Sets a line of {@code server.properties}; legal only before the first start. */
  public KafkaServer withSetting(String name, String value) {
    lifecycle.beforeStart("Setting \"" + name + "\"", () -> settings.put(name, value));
    return this;
  }

  /** For {@code bootstrap.servers}; the same from construction to {@link #close()}. */
  public String bootstrapServers() {
    return "127.0.0.1:" + port.number();
  }

  private ProcessDaemon prepare() {
    ServerFiles files = ServerFiles.ofThisUser();
    return files.prepare(
        directory -> {
          Path configuration = directory.resolve("server.properties");
          settings.put("log.dirs", directory.resolve("data").toString());
          StringBuilder lines = new StringBuilder();
          settings.forEach(
              (name, value) -> lines.append(name).append('=').append(value).append('\n'));
          Files.writeString(configuration, lines);
          format(configuration).run(directory, FORMAT_LIMIT);
          return new ProcessDaemon(
              "Kafka", directory, java("kafka.Kafka", configuration.toString()), this::ask);
        });
  }

  private Command format(Path configuration) {
    return java(
        "kafka.tools.StorageTool",
        "format",
        controller ? "--standalone" : "--no-initial-controllers",
        "--cluster-id",
        "posthornTestServers0g",
        "--config",
        configuration.toString());
  }

  private static Command java(String main, String... arguments) {
    List<String> words =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dkafka.logs.dir=.",
                "-cp",
                System.getProperty("java.class.path"),
                main));
    words.addAll(List.of(arguments));
    return new Command(words);
  }

  /** Its port opens when it can answer; what it does not know yet, clients ask again. */
  private void ask() throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number()), ASK_MILLIS);
    }
  }

  @Override
  public void start() {
    lifecycle.start();
  }

  @Override
  public void stop() {
    lifecycle.withDaemon(ProcessDaemon::stop);
  }

  @Override
  public void kill() {
    lifecycle.withDaemon(ProcessDaemon::kill);
  }

  @Override
  public void freeze() {
    lifecycle.withDaemon(ProcessDaemon::freeze);
  }

  @Override
  public void thaw() {
    lifecycle.withDaemon(daemon -> daemon.signal("CONT"));
  }

  @Override
  public boolean running() {
    return lifecycle.running();
  }

  @Override
  public void close() {
    lifecycle.close();
    if (controller) {
      controllerPort.close();
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Apache Qpid Broker-J, which stands in for RabbitMQ where that is not installed: a broker for AMQP
 * 0-9-1 with publisher confirms, in a JVM of its own. The class path of this JVM must have {@code
 * qpid-broker-core} with the plugins for AMQP 0-8 and Derby. It has no quorum queues.
 */
public final class QpidServer implements AmqpServer {

  private static final String VIRTUAL_HOST = "default";

  private static final String CONFIGURATION =
      """
      {
        "name": "posthorn",
        "modelVersion": "9.0",
        "authenticationproviders": [{
          "name": "plain",
          "type": "Plain",
          "secureOnlyMechanisms": [],
          "users": [{"name": "guest", "type": "managed", "password": "guest"}]
        }],
        "ports": [{
          "name": "amqp",
          "type": "AMQP",
          "port": "%1$d",
          "bindingAddress": "127.0.0.1",
          "authenticationProvider": "plain",
          "protocols": ["AMQP_0_9_1"],
          "virtualhostaliases": [{"name": "names", "type": "nameAlias"}],
          "context": {"qpid.max_message_size": "%2$d"}
        }],
        "virtualhostnodes": [{
          "name": "%3$s",
          "type": "DERBY",
          "storePath": "%4$s",
          "virtualHostInitialConfiguration": "{\\"type\\": \\"ProvidedStore\\"}"
        }]
      }
      """;

  private final ReservedPort port = ReservedPort.find();
  private final ServerLifecycle<ProcessDaemon> lifecycle =
      new ServerLifecycle<>("qpid", port, this::prepare);
  private int maxMessageBytes = 100_000_000;

  /** Not yet started. */
  public QpidServer() {}

  @Override
  public QpidServer withMaxMessageBytes(int bytes) {
    lifecycle.beforeStart("The maximum size", () -> maxMessageBytes = bytes);
    return this;
  }

  @Override
  public String product() {
    return "Qpid Broker-J";
  }

  @Override
  public String uri() {
    return "amqp://guest:guest@127.0.0.1:" + port.number() + "/" + VIRTUAL_HOST;
  }

  @Override
  public boolean hasQuorumQueues() {
    return false;
  }

  private ProcessDaemon prepare() {
    return ServerFiles.ofThisUser().prepare(this::daemonIn);
  }

  private ProcessDaemon daemonIn(Path directory) throws IOException {
    Path configuration = directory.resolve("broker.json");
    Files.writeString(
        configuration,
        CONFIGURATION.formatted(
            port.number(), maxMessageBytes, VIRTUAL_HOST, directory.resolve("data")));
    return new ProcessDaemon(
        "Qpid",
        directory,
        Command.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dderby.stream.error.file=" + directory.resolve("derby.log"),
            "-cp",
            System.getProperty("java.class.path"),
            QpidMain.class.getName(),
            configuration.toUri().toString(),
            directory.resolve("kept.json").toString()),
        () -> AmqpWire.ask(port.number(), VIRTUAL_HOST));
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
  }
}

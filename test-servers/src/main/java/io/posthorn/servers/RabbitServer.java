/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A RabbitMQ node of our own, run by the programs of the system's package {@code rabbitmq-server}.
 * Listens on 127.0.0.1 only, has nothing to do with a node that the system may run, and works as
 * root and as any other user.
 *
 * <p>A quorum queue of RabbitMQ 3.10 that is alone on its node finds no leader after {@link
 * #kill()}. After {@link #stop()} it does, and classic durable queues survive both.
 */
public final class RabbitServer implements AmqpServer {

  private static final Path PACKAGES = Path.of("/usr/lib/rabbitmq/lib");

  private final ReservedPort port = ReservedPort.find();
  private final int distributionPort = anyFreePort();
  private final ReservedPort mapperPort = ReservedPort.find();
  private final Map<String, String> settings = new TreeMap<>();
  private final ServerLifecycle<RabbitDaemon> lifecycle =
      new ServerLifecycle<>("rabbitmq", port, this::prepare);

  /** Not yet started. */
  public RabbitServer() {}

  /** Not reserved: RabbitMQ does not start unless this port is free on all addresses. */
  private static int anyFreePort() {
    try (ReservedPort found = ReservedPort.find()) {
      return found.number();
    }
  }

  /** Whether this machine has RabbitMQ. */
  public static boolean installed() {
    return installation().isPresent();
  }

  private static Optional<Path> installation() {
    try (DirectoryStream<Path> versions = Files.newDirectoryStream(PACKAGES, "rabbitmq_server-*")) {
      List<Path> found = new ArrayList<>();
      versions.forEach(found::add);
      return found.stream()
          .filter(version -> Files.isExecutable(scriptIn(version)))
          .max(Comparator.naturalOrder());
    } catch (IOException none) {
      return Optional.empty();
    }
  }

  /** Not the one in the path, which wants to be root and becomes another user. */
  private static Path scriptIn(Path installation) {
    return installation.resolve("sbin/rabbitmq-server");
  }

  /** Runs {@code rabbitmqctl}. */
  private void control(String... words) {
    Path program = installation().orElseThrow().resolve("sbin/rabbitmqctl");
    lifecycle.withDaemon(daemon -> daemon.control(program, List.of(words), this::environment));
  }

  /** Blocks all who publish, since it takes itself for short of memory. */
  public void closeForPublishers() {
    control("set_vm_memory_high_watermark", "absolute", "1");
  }

  /** Takes messages again after {@link #closeForPublishers}. */
  public void openForPublishers() {
    control("set_vm_memory_high_watermark", "0.4");
  }

  /** Sets a line of {@code rabbitmq.conf}; legal only before the first start. */
  public RabbitServer withSetting(String name, String value) {
    lifecycle.beforeStart("Setting \"" + name + "\"", () -> settings.put(name, value));
    return this;
  }

  @Override
  public RabbitServer withMaxMessageBytes(int bytes) {
    return withSetting("max_message_size", Integer.toString(bytes));
  }

  @Override
  public String product() {
    return installation()
        .map(found -> String.valueOf(found.getFileName()).replace("rabbitmq_server-", "RabbitMQ "))
        .orElse("no RabbitMQ");
  }

  @Override
  public String uri() {
    return "amqp://guest:guest@127.0.0.1:" + port.number();
  }

  @Override
  public boolean hasQuorumQueues() {
    return true;
  }

  private RabbitDaemon prepare() {
    Path installation =
        installation()
            .orElseThrow(
                () ->
                    new ServerException(
                        "RabbitMQ not started: nothing found in "
                            + PACKAGES
                            + "; install the package rabbitmq-server"));
    return ServerFiles.ofThisUser()
        .prepare(
            directory -> {
              StringBuilder lines = new StringBuilder();
              settings.forEach(
                  (name, value) -> lines.append(name).append(" = ").append(value).append('\n'));
              Files.writeString(directory.resolve("rabbitmq.conf"), lines);
              Path mapperDirectory = Files.createDirectory(directory.resolve("epmd"));
              return new RabbitDaemon(
                  directory,
                  mapperDirectory,
                  Command.of(scriptIn(installation).toString()).behind(environment(directory)),
                  port.number(),
                  mapperPort.number());
            });
  }

  private List<String> environment(Path directory) {
    return Stream.of(
            "env",
            "HOME=" + directory, // of the cookie
            "ERL_EPMD_ADDRESS=127.0.0.1",
            "ERL_EPMD_PORT=" + mapperPort.number(),
            "ERL_CRASH_DUMP_SECONDS=0",
            "RABBITMQ_NODENAME=posthorn-" + port.number() + "@localhost",
            "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1",
            "RABBITMQ_NODE_PORT=" + port.number(),
            "RABBITMQ_DIST_PORT=" + distributionPort,
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}",
            "RABBITMQ_MNESIA_BASE=" + directory.resolve("data"),
            "RABBITMQ_LOG_BASE=" + directory.resolve("log"),
            "RABBITMQ_LOGS=-",
            "RABBITMQ_CONFIG_FILE=" + directory.resolve("rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE=" + directory.resolve("advanced.config"),
            "RABBITMQ_ENABLED_PLUGINS_FILE=" + directory.resolve("enabled_plugins"),
            "RABBITMQ_CONF_ENV_FILE=/dev/null", // not what the system says about its own node
            // The script becomes the node instead of watching it: one process, and SIGTERM stops
            // it.
            "RUNNING_UNDER_SYSTEMD=true")
        .toList();
  }

  @Override
  public void start() {
    lifecycle.start();
  }

  @Override
  public void stop() {
    lifecycle.withDaemon(RabbitDaemon::stop);
  }

  @Override
  public void kill() {
    lifecycle.withDaemon(RabbitDaemon::kill);
  }

  @Override
  public void freeze() {
    lifecycle.withDaemon(RabbitDaemon::freeze);
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
    mapperPort.close();
  }
}

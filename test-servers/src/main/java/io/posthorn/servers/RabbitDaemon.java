/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A RabbitMQ node and the port mapper (epmd) that it needs. A node would start a port mapper
 * itself, which outlives it; one that is there already, in the foreground, dies with this JVM.
 */
final class RabbitDaemon implements Daemon {
  private static final Duration CONTROL_LIMIT = Duration.ofSeconds(60);

  private final Path directory;
  private final ProcessDaemon mapper;
  private final ProcessDaemon node;

  /**
   * @param directory holds all of it, and is deleted with it
   * @param script starts a node and becomes it
   */
  RabbitDaemon(Path directory, Path mapperDirectory, Command script, int port, int mapperPort) {
    this.directory = directory;
    mapper =
        new ProcessDaemon(
            "RabbitMQ's port mapper",
            mapperDirectory,
            Command.of("epmd", "-port", Integer.toString(mapperPort), "-address", "127.0.0.1"),
            () -> new Socket(InetAddress.getLoopbackAddress(), mapperPort).close());
    node = new ProcessDaemon("RabbitMQ", directory, script, () -> AmqpWire.ask(port, "/"));
  }

  @Override
  public boolean running() {
    return node.running();
  }

  @Override
  public void start() {
    if (!mapper.running()) {
      mapper.start();
    }
    node.start();
  }

  @Override
  public void stop() {
    node.stop();
    mapper.kill();
  }

  void freeze() {
    node.freeze();
  }

  void signal(String name) {
    node.signal(name);
  }

  /** Runs a program that talks to the node. */
  void control(Path program, List<String> words, Function<Path, List<String>> environment) {
    Path outputs = directory.resolve("control");
    try {
      Files.createDirectories(outputs);
      new Command(Stream.concat(Stream.of(program.toString()), words.stream()).toList())
          .behind(environment.apply(directory))
          .run(outputs, CONTROL_LIMIT);
    } catch (IOException e) {
      throw new ServerException("RabbitMQ not controlled: " + e.getMessage(), e);
    }
  }

  @Override
  public void stopAtOnce() {
    kill();
  }

  @Override
  public void kill() {
    node.kill();
    mapper.kill();
  }

  @Override
  public void delete() {
    node.delete();
  }
}

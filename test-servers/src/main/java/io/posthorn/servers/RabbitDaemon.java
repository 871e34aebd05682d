/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;

/**
 * A RabbitMQ node and the port mapper (epmd) that it needs. A node would start a port mapper
 * itself, which outlives it; one that is there already, in the foreground, dies with this JVM.
 */
final class RabbitDaemon implements Daemon {

  private final ProcessDaemon mapper;
  private final ProcessDaemon node;

  /**
   * @param directory holds all of it, and is deleted with it
   * @param script starts a node and becomes it
   */
  RabbitDaemon(Path directory, Path mapperDirectory, Command script, int port, int mapperPort) {
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

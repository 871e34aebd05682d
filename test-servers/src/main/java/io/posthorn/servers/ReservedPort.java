/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A port of 127.0.0.1 that stays free for one server while that server is down.
 *
 * <p>It lies below the range from which Linux serves outgoing connections, and as long as it is
 * reserved the same port of 127.0.0.2 is bound: other test JVMs see that, and nobody can bind the
 * port for all addresses.
 */
final class ReservedPort implements AutoCloseable {

  private static final int LOWEST = 15_000;
  private static final int HIGHEST = 32_000;
  private static final int TRIES = 200;

  private final ServerSocket guard;

  private ReservedPort(ServerSocket guard) {
    this.guard = guard;
  }

  static ReservedPort find() {
    IOException last = new IOException("no port tried");
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      try {
        return reserve(port);
      } catch (IOException taken) {
        last = taken;
      }
    }
    throw new ServerException(
        "No free port of 127.0.0.1 between "
            + LOWEST
            + " and "
            + HIGHEST
            + " found in "
            + TRIES
            + " tries: end the processes that listen there",
        last);
  }

  private static ReservedPort reserve(int port) throws IOException {
    ServerSocket guard = bind(2, port);
    try {
      bind(1, port).close();
      return new ReservedPort(guard);
    } catch (IOException taken) {
      guard.close();
      throw taken;
    }
  }

  private static ServerSocket bind(int lastByte, int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      byte[] address = {127, 0, 0, (byte) lastByte};
      socket.bind(new InetSocketAddress(InetAddress.getByAddress(address), port));
      return socket;
    } catch (IOException taken) {
      socket.close();
      throw taken;
    }
  }

  int number() {
    return guard.getLocalPort();
  }

  @Override
  public void close() {
    try {
      guard.close();
    } catch (IOException e) {
      throw new ServerException("Port " + number() + " not given back", e);
    }
  }
}

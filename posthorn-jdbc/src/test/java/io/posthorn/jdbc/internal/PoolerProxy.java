/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands before a PostgreSQL server and does what a transaction-level pooler does to a listener: it
 * tells the client a process of its own making, and keeps notifications to itself.
 */
final class PoolerProxy implements AutoCloseable {
  private static final int BACKEND_KEY = 'K';
  private static final int NOTIFICATION = 'A';

  private final ServerSocket front = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final int server;

  /**
   * @param server the port of the server on this machine
   */
  PoolerProxy(int server) throws IOException {
    this.server = server;
    start(this::accept);
  }

  int port() {
    return front.getLocalPort();
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = front.accept();
      Socket behind = new Socket(InetAddress.getLoopbackAddress(), server);
      sockets.addAll(List.of(client, behind));
      start(() -> copy(client.getInputStream(), behind.getOutputStream()));
      start(() -> answer(behind.getInputStream(), client.getOutputStream()));
    }
  }

  private static void copy(InputStream from, OutputStream to) throws IOException {
    from.transferTo(to);
  }

  /** Without encryption all that a server says has a type and a length. */
  private static void answer(InputStream from, OutputStream to) throws IOException {
    DataInputStream in = new DataInputStream(from);
    DataOutputStream out = new DataOutputStream(to);
    while (true) {
      int type = in.readUnsignedByte();
      int length = in.readInt();
      byte[] body = in.readNBytes(length - Integer.BYTES);
      if (type == NOTIFICATION) {
        continue;
      }
      if (type == BACKEND_KEY) {
        body[3] ^= 1;
      }
      out.writeByte(type);
      out.writeInt(length);
      out.write(body);
      out.flush();
    }
  }

  private interface Copying {
    void run() throws IOException;
  }

  private static void start(Copying copying) {
    Thread thread =
        new Thread(
            () -> {
              try {
                copying.run();
              } catch (IOException e) { // either end was closed
                Thread.currentThread().interrupt();
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    front.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}

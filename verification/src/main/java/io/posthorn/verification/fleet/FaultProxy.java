/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Stands between one instance and the database, and can be told to hold back what is sent, in one
 * or both directions, to delay it, or to reset all connections. What is held back arrives when the
 * cut is over, as on a network that sends again.
 */
public final class FaultProxy implements AutoCloseable {
  private static final int BUFFER = 16 * 1024;
  private static final int CONNECT_MILLIS = 2_000;

  /**
   * @param due when it arrives, of {@link System#nanoTime()}
   */
  private record Packet(String bytes, long due) {
    boolean isEnd() {
      return bytes.isEmpty();
    }
  }

  /** Which way bytes go. */
  public enum Direction {
    TO_DATABASE,
    TO_INSTANCE
  }

  private final ServerSocket server;
  private volatile int databasePort;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Set<Direction> cut = Set.of(); // guarded by lock
  private volatile long latencyMillis;
  private volatile boolean closed;

  private FaultProxy(ServerSocket server, int databasePort) {
    this.server = server;
    this.databasePort = databasePort;
  }

  public static FaultProxy start(int databasePort) throws IOException {
    FaultProxy proxy =
        new FaultProxy(new ServerSocket(0, 0, InetAddress.getLoopbackAddress()), databasePort);
    daemon(proxy::accept);
    return proxy;
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "fault-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  public int port() {
    return server.getLocalPort();
  }

  private void accept() {
    while (!closed) {
      try {
        Socket client = server.accept();
        sockets.add(client);
        daemon(() -> connect(client));
      } catch (IOException e) {
        if (!closed) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private void connect(Socket client) {
    try {
      awaitOpen(Direction.TO_DATABASE);
      Socket database = new Socket();
      sockets.add(database);
      database.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), databasePort), CONNECT_MILLIS);
      database.setTcpNoDelay(true);
      client.setTcpNoDelay(true);
      daemon(() -> pump(client, database, Direction.TO_DATABASE));
      pump(database, client, Direction.TO_INSTANCE);
    } catch (IOException | InterruptedException e) {
      close(client); // the database is away
    }
  }

  /** Reads; another thread writes, so that a delay holds up nothing that comes after. */
  private void pump(Socket from, Socket to, Direction direction) {
    BlockingQueue<Packet> underWay = new LinkedBlockingQueue<>();
    daemon(() -> deliver(underWay, from, to, direction));
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream input = from.getInputStream();
      for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
        underWay.add(new Packet(new String(buffer, 0, count, ISO_8859_1), arrival()));
      }
    } catch (IOException e) {
      // One side has gone: so does the other.
    }
    underWay.add(new Packet("", arrival())); // that it has gone is news as well
  }

  private long arrival() {
    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(latencyMillis);
  }

  private void deliver(
      BlockingQueue<Packet> underWay, Socket from, Socket to, Direction direction) {
    try {
      OutputStream output = to.getOutputStream();
      for (Packet next = underWay.take(); !next.isEnd(); next = underWay.take()) {
        await(next, direction);
        output.write(next.bytes.getBytes(ISO_8859_1));
        output.flush();
      }
      awaitOpen(direction);
    } catch (IOException e) {
      // The receiver has gone.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    close(from);
    close(to);
  }

  private void await(Packet packet, Direction direction) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(packet.due - System.nanoTime());
    awaitOpen(direction);
  }

  private void awaitOpen(Direction direction) throws InterruptedException {
    lock.lock();
    try {
      while (cut.contains(direction) && !closed) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Connections from now on go to another database. */
  void leadTo(int port) {
    databasePort = port;
  }

  /** Holds back what goes these ways from now on. */
  public void cut(Set<Direction> directions) {
    lock.lock();
    try {
      cut = Set.copyOf(directions);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Delays each packet, in both directions. */
  public void latency(long millis) {
    latencyMillis = millis;
  }

  /** Resets all connections: whoever waits for an answer does not get it. */
  public void reset() {
    for (Socket socket : sockets) {
      try {
        socket.setSoLinger(true, 0);
      } catch (IOException e) {
        // It is closed already.
      }
      close(socket);
    }
  }

  private void close(Socket socket) {
    sockets.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      // Closed is what it should be.
    }
  }

  @Override
  public void close() {
    closed = true;
    cut(Set.of());
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Set.copyOf(sockets).forEach(this::close);
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A real HTTP server on this machine that keeps what it accepts. Safe to share between threads. */
final class Endpoint implements AutoCloseable {
  private static final int BACKLOG = 2_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final List<Request> accepted = new ArrayList<>(); // guarded by lock
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final int port;
  private HttpServer server;
  private volatile Answering answering = (request, exchange) -> reply(request, exchange, 204);

  /** What was posted. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Request(String path, Map<String, String> headers, byte[] body) {
    String header(String name) {
      return headers.get(name);
    }
  }

  /** Answers one request. */
  @FunctionalInterface
  interface Answering {
    void answer(Request request, HttpExchange exchange) throws IOException;
  }

  Endpoint() {
    server = listen(0);
    port = server.getAddress().getPort();
  }

  private HttpServer listen(int at) {
    try {
      HttpServer listening =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), at), BACKLOG);
      listening.setExecutor(threads);
      listening.createContext("/", this::handle);
      listening.start();
      return listening;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Answers in another way from now on. */
  void answers(Answering how) {
    answering = how;
  }

  void answers(int status) {
    answers((request, exchange) -> reply(request, exchange, status));
  }

  /** Answers without a body; keeps the request first if that accepts it. */
  void reply(Request request, HttpExchange exchange, int status) throws IOException {
    if (status >= 200 && status < 300) {
      keep(request);
    }
    exchange.sendResponseHeaders(status, -1);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, String> headers = new LinkedHashMap<>();
      exchange
          .getRequestHeaders()
          .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
      Request request =
          new Request(
              exchange.getRequestURI().toString(),
              headers,
              exchange.getRequestBody().readAllBytes());
      answering.answer(request, exchange);
    }
  }

  private void keep(Request request) {
    lock.lock();
    try {
      accepted.add(request);
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** What was accepted, in order; waits for so many, within the limit. */
  List<Request> accepted(int atLeast, long limitMillis) {
    lock.lock();
    try {
      long left = TimeUnit.MILLISECONDS.toNanos(limitMillis);
      while (accepted.size() < atLeast && left > 0) {
        left = arrived.awaitNanos(left);
      }
      return List.copyOf(accepted);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      lock.unlock();
    }
  }

  String url() {
    return "http://localhost:" + port + "/hooks";
  }

  /** Refuses connections from now on. */
  void stop() {
    server.stop(0);
  }

  /** Listens again, on the same port. */
  void start() {
    server = listen(port);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}

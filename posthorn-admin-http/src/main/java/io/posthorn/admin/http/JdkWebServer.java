/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import static java.util.Objects.requireNonNull;

import com.sun.net.httpserver.HttpServer;
import io.posthorn.ConfigurationException;
import io.posthorn.PosthornException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Serves handlers by the HTTP server of the JDK, for processes that have no other. It speaks HTTP,
 * not HTTPS: put a proxy in front, or bind it to an address that only operators can reach.
 *
 * <p>Clients that send or read too slowly are cut off: the request line and headers must arrive
 * within 5 seconds, or half a second while all threads are taken, so that connections that send
 * nothing can't keep health checks waiting. For bodies and for reading the answer see {@link
 * Builder#timeout}. When too many connections wait for a thread, further ones are closed. Safe to
 * share between threads.
 *
 * <pre>{@code
 * try (var server = JdkWebServer.builder(address)
 *     .mount("/posthorn", adminHttp)
 *     .mount("/health", request -> WebResponse.text(200, "text/plain", "UP"))
 *     .start()) { ... }
 * }</pre>
 *
 * @since 0.1
 */
public final class JdkWebServer implements AutoCloseable {
  /** Connections that wait for a thread; further ones are closed. */
  private static final int MAX_WAITING = 1_000;

  /** Honest clients send the head of a request at once. */
  private static final Duration HEAD_TIMEOUT = Duration.ofSeconds(5);

  private final HttpServer server;
  private final ExecutorService threads;
  private final Watchdog watchdog;

  private JdkWebServer(HttpServer server, ExecutorService threads, Watchdog watchdog) {
    this.server = server;
    this.threads = threads;
    this.watchdog = watchdog;
  }

  /**
   * @param address port 0 takes a free one
   */
  public static Builder builder(InetSocketAddress address) {
    return new Builder(address);
  }

  /** The port on which it listens. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** Stops at once; requests under way are cut off. Closing twice is harmless. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    watchdog.close();
  }

  /** Collects what is served. Not safe to share between threads. */
  public static final class Builder {
    private final InetSocketAddress address;
    private final Map<String, WebHandler> mounted = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private int maxThreads = 64;
    private Duration timeout = Duration.ofSeconds(30);

    private Builder(InetSocketAddress address) {
      this.address = requireNonNull(address, "address");
    }

    /**
     * Serves what is below a path by a handler; of several that fit, that with the longest path.
     *
     * @param path empty for all, or with a leading and no trailing slash
     */
    public Builder mount(String path, WebHandler handler) {
      if (!path.matches("(/[A-Za-z0-9._~-]+)*")) {
        problems.add(
            "the path to mount was \"%s\" but must be empty or like \"/ops/posthorn\""
                .formatted(path));
      }
      if (mounted.put(path, requireNonNull(handler, "handler")) != null) {
        problems.add("two handlers are mounted at \"%s\"; mount one".formatted(path));
      }
      return this;
    }

    /** How many requests are answered at once, 64 by default; each open event stream is one. */
    public Builder maxThreads(int threads) {
      maxThreads = threads;
      return this;
    }

    /**
     * How long a client may take to send the body of its request, and to read what it is sent at
     * one time, 30 s by default. The head of a request has this time, but 5 s at most.
     */
    public Builder timeout(Duration limit) {
      timeout = requireNonNull(limit, "limit");
      return this;
    }

    /**
     * Binds the address and begins to serve.
     *
     * @throws ConfigurationException naming every problem with the settings
     * @throws PosthornException if the address can't be bound
     */
    public JdkWebServer start() {
      if (maxThreads < 1) {
        problems.add("maxThreads was %d but must be at least 1".formatted(maxThreads));
      }
      if (timeout.isNegative() || timeout.isZero()) {
        problems.add("timeout was %s but must be positive".formatted(timeout));
      }
      if (!problems.isEmpty()) {
        throw new ConfigurationException(problems);
      }
      HttpServer server = bind();
      BlockingQueue<Runnable> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
      Watchdog watchdog =
          new Watchdog(
              timeout.compareTo(HEAD_TIMEOUT) < 0 ? timeout : HEAD_TIMEOUT,
              () -> !waiting.isEmpty());
      ExecutorService threads = threads(watchdog, waiting);
      Map<String, WebHandler> handlers = new LinkedHashMap<>();
      mounted.keySet().stream()
          .sorted(Comparator.comparingInt(String::length).reversed())
          .forEach(path -> handlers.put(path, requireNonNull(mounted.get(path))));
      server.setExecutor(threads);
      server.createContext("/", new JdkExchangeHandler(handlers, timeout));
      server.start();
      return new JdkWebServer(server, threads, watchdog);
    }

    private HttpServer bind() {
      try {
        return HttpServer.create(address, 0);
      } catch (IOException e) {
        throw new PosthornException(
            "Nothing served: %s can't be bound; choose another port, or stop what has it"
                .formatted(address),
            e);
      }
    }

    /** Also headers are read on these threads, so that each task is watched from its beginning. */
    private ExecutorService threads(Watchdog watchdog, BlockingQueue<Runnable> waiting) {
      AtomicInteger number = new AtomicInteger();
      ThreadPoolExecutor threads =
          new ThreadPoolExecutor(
              maxThreads,
              maxThreads,
              10,
              TimeUnit.SECONDS,
              waiting,
              task -> {
                Thread thread = new Thread(task, "posthorn-http-" + number.incrementAndGet());
                thread.setDaemon(true);
                return thread;
              }) {
            @Override
            public void execute(Runnable task) {
              super.execute(() -> watchdog.watch(task));
            }
          };
      threads.allowCoreThreadTimeOut(true);
      return threads;
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.admin.http.WebResponse;
import io.posthorn.spi.Ticker;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Sends live figures as server-sent events, each client on the thread of its request. A client that
 * does not read is cut off by the server, whose writes have a time limit. Safe to share between
 * threads.
 */
final class LiveEvents implements AutoCloseable {
  private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.UTF_8);

  private final Limits limits;
  private final Ticker ticker;
  private final Semaphore places;
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * @param clients at once
   * @param interval between two looks at the figures
   * @param lifetime after which a stream ends, so that access is checked again
   */
  record Limits(int clients, Duration interval, Duration lifetime) {}

  LiveEvents(Limits limits, Ticker ticker) {
    this.limits = limits;
    this.ticker = ticker;
    this.places = new Semaphore(limits.clients);
  }

  WebResponse stream(SharedOverview overview) {
    if (places.availablePermits() == 0) {
      throw tooMany();
    }
    return WebResponse.stream("text/event-stream", out -> send(overview, out))
        .header("X-Accel-Buffering", "no"); // else nginx keeps events back
  }

  private void send(SharedOverview overview, OutputStream out) throws IOException {
    if (!places.tryAcquire()) {
      write("retry: 30000\n\n".getBytes(StandardCharsets.UTF_8), out);
      return;
    }
    try {
      long begun = ticker.nanos();
      byte[] sent = {};
      write("retry: 3000\n\n".getBytes(StandardCharsets.UTF_8), out);
      do {
        byte[] figures = figures(overview);
        write(figures.length == 0 || Arrays.equals(figures, sent) ? HEARTBEAT : figures, out);
        sent = figures;
      } while (!isClosedWithin(limits.interval)
          && ticker.nanos() - begun < limits.lifetime.toNanos());
    } finally {
      places.release();
    }
  }

  /** Empty if the database can't be asked: the client keeps what it has. */
  private static byte[] figures(SharedOverview overview) {
    try {
      String event = "event: overview\ndata: %s\n\n".formatted(overview.json());
      return event.getBytes(StandardCharsets.UTF_8);
    } catch (RuntimeException e) { // whatever it is, requests for the overview tell it
      return new byte[0];
    }
  }

  private static void write(byte[] bytes, OutputStream out) throws IOException {
    out.write(bytes);
    out.flush();
  }

  private boolean isClosedWithin(Duration time) {
    try {
      return closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private static RequestProblem tooMany() {
    return new RequestProblem(503, "too many clients watch; try again in a minute")
        .header("Retry-After", "60");
  }

  /** Clients that are watching now. */
  int clients() {
    return limits.clients - places.availablePermits();
  }

  /** Ends all streams. */
  @Override
  public void close() {
    closed.countDown();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import java.net.URI;
import java.net.http.HttpRequest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A message on its way to an endpoint. Safe to share between threads. */
final class PendingRequest {
  private final String destination;
  private final HttpRequest request;
  private final long startBefore;
  private final CompletableFuture<Void> answer = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<?> exchange;
  private volatile boolean givenUp;
  private boolean retried; // by one thread at a time

  /**
   * @param startBefore when it is too late to send it, by the ticker
   */
  PendingRequest(String destination, HttpRequest request, long startBefore) {
    this.destination = destination;
    this.request = request;
    this.startBefore = startBefore;
  }

  String destination() {
    return destination;
  }

  /** Requests to the same host and port share its limit. */
  String origin() {
    URI url = request.uri();
    return url.getScheme() + "://" + url.getRawAuthority();
  }

  HttpRequest request() {
    return request;
  }

  /** Whether it was answered, or would not be in time any more. */
  boolean isLate(long now) {
    return answer.isDone() || now - startBefore >= 0;
  }

  CompletableFuture<Void> answer() {
    return answer;
  }

  /** Says by what it is under way now. */
  void underWay(CompletableFuture<?> by) {
    exchange = by;
    if (givenUp) {
      by.cancel(true);
    }
  }

  /** True once: a request whose connection broke is sent once more. */
  boolean mayRetry() {
    boolean first = !retried;
    retried = true;
    return first;
  }

  /** Ends it unless it was answered, and the exchange that is under way. */
  void fail(Throwable failure) {
    givenUp = true;
    answer.completeExceptionally(failure);
    CompletableFuture<?> by = exchange;
    if (by != null) {
      by.cancel(true);
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of an answer to its end, so that the connection can be used again. If there is
 * more than a little of it, closes the connection instead.
 */
final class DiscardedBody implements BodySubscriber<Void> {
  private static final int MAX_BYTES = 64 * 1024;

  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private Flow.@Nullable Subscription subscription; // signals come one after the other
  private long bytes;

  @Override
  public CompletionStage<Void> getBody() {
    return end;
  }

  @Override
  public void onSubscribe(Flow.Subscription opened) {
    subscription = opened;
    opened.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    buffers.forEach(buffer -> bytes += buffer.remaining());
    if (bytes > MAX_BYTES && subscription != null) {
      subscription.cancel();
      end.complete(null);
    }
  }

  /** The status has decided already. */
  @Override
  public void onError(Throwable failure) {
    end.complete(null);
  }

  @Override
  public void onComplete() {
    end.complete(null);
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** Keeps spans in memory. All are there when the application has ended. */
class Spans implements SpanExporter {
  private final List<SpanData> exported = new CopyOnWriteArrayList<>();

  /** The span of the only web request. */
  SpanData request() {
    return only(span -> span.getKind() == SpanKind.SERVER);
  }

  /** The span of the only delivery to this handler. */
  SpanData delivery(String handler) {
    return only(span -> consumer(span) && handler.equals(handler(span)));
  }

  /** The span of the only message that a listener got from a broker. */
  SpanData reception() {
    return only(span -> consumer(span) && handler(span) == null);
  }

  private static boolean consumer(SpanData span) {
    return span.getKind() == SpanKind.CONSUMER;
  }

  private static String handler(SpanData span) {
    return span.getAttributes().get(AttributeKey.stringKey("handler"));
  }

  List<SpanData> all() {
    return List.copyOf(exported);
  }

  private SpanData only(Predicate<SpanData> wanted) {
    List<SpanData> found = exported.stream().filter(wanted).toList();
    if (found.size() != 1) {
      throw new AssertionError(found.size() + " such spans among " + exported);
    }
    return found.get(0);
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    exported.addAll(spans);
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }
}

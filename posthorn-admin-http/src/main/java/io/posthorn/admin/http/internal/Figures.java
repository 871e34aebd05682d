/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.Admin.Survey;
import io.posthorn.Fleet;
import io.posthorn.Fleet.Sample;
import io.posthorn.Posthorn;
import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.HandlerStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes figures: what waits, and what relays are doing. */
final class Figures {
  /** How many ready messages of one partition are counted. */
  private static final int SURVEY_LIMIT = 1_000;

  private Figures() {}

  static JsonObject overview(Posthorn posthorn) {
    Survey survey = posthorn.admin().survey(SURVEY_LIMIT);
    List<Sample> recent = posthorn.admin().fleet().recent();
    return new JsonObject()
        .put("at", survey.at())
        .put("ready", survey.ready().stream().mapToLong(Survey.Ready::messages).sum())
        .put("deferred", survey.deferred().stream().mapToLong(Survey.Waiting::messages).sum())
        .put("dead", survey.dead().stream().mapToLong(Survey.Waiting::messages).sum())
        .put("oldestReadySeconds", Json.seconds(survey.oldestReady()))
        .put("instances", survey.instances())
        .put("capped", survey.capped())
        .put(
            "perSecond", recent.isEmpty() ? null : rates(recent.get(recent.size() - 1).perSecond()))
        .put("byPartition", survey.ready().stream().map(Figures::ready).toList())
        .put("byHandler", byHandler(survey))
        .put("relay", relay(posthorn.status().orElse(null)));
  }

  private static JsonObject ready(Survey.Ready ready) {
    return new JsonObject()
        .put("partition", ready.partition())
        .put("type", ready.type())
        .put("messages", ready.messages());
  }

  private record HandlerAndType(String handler, String type) implements Comparable<HandlerAndType> {
    @Override
    public int compareTo(HandlerAndType other) {
      int byHandler = handler.compareTo(other.handler);
      return byHandler != 0 ? byHandler : type.compareTo(other.type);
    }
  }

  private static List<JsonObject> byHandler(Survey survey) {
    Map<HandlerAndType, long[]> counts = new TreeMap<>();
    add(survey.deferred(), 0, counts);
    add(survey.dead(), 1, counts);
    List<JsonObject> items = new ArrayList<>();
    counts.forEach(
        (of, count) ->
            items.add(
                new JsonObject()
                    .put("handler", of.handler)
                    .put("type", of.type)
                    .put("deferred", count[0])
                    .put("dead", count[1])));
    return items;
  }

  private static void add(
      List<Survey.Waiting> waiting, int index, Map<HandlerAndType, long[]> counts) {
    for (Survey.Waiting each : waiting) {
      counts
              .computeIfAbsent(new HandlerAndType(each.handler(), each.type()), any -> new long[2])[
              index] +=
          each.messages();
    }
  }

  static JsonObject series(List<Sample> samples) {
    return new JsonObject().put("items", samples.stream().map(Figures::sample).toList());
  }

  private static JsonObject sample(Sample sample) {
    return new JsonObject()
        .put("at", sample.at())
        .put("perSecond", rates(sample.perSecond()))
        .put("ready", sample.ready())
        .put("deferred", sample.deferred())
        .put("dead", sample.dead())
        .put("capped", sample.capped())
        .put("oldestReadySeconds", Json.seconds(sample.oldestReady()))
        .put("instances", sample.instances());
  }

  private static JsonObject rates(Fleet.Rates rates) {
    return new JsonObject()
        .put("published", rates.published())
        .put("delivered", rates.delivered())
        .put("retried", rates.retried())
        .put("dead", rates.dead());
  }

  /**
   * @param relay null if none runs
   */
  static JsonObject relay(@Nullable RelayStatus relay) {
    if (relay == null) {
      return new JsonObject().put("running", false);
    }
    RelayStatus.Program program = relay.program();
    return new JsonObject()
        .put("running", true)
        .put("name", relay.name())
        .put("version", program.version())
        .put("applicationVersion", program.applicationVersion())
        .put("startedAt", program.startedAt())
        .put("leaseValid", relay.leaseValid())
        .put("partitions", relay.epochs().keySet().stream().sorted().toList())
        .put("inMemory", relay.inMemory())
        .put("bytesInMemory", relay.bytesInMemory())
        .put("lanesInMemory", relay.lanesInMemory())
        .put("blockedLanes", relay.blockedLanes())
        .put(
            "handlers",
            new TreeMap<>(relay.handlers())
                .entrySet().stream().map(each -> handler(each.getKey(), each.getValue())).toList())
        .put("counts", counts(relay.counts()));
  }

  private static JsonObject handler(String name, HandlerStatus handler) {
    RelayStatus.Throughput throughput = handler.throughput();
    return new JsonObject()
        .put("name", name)
        .put("circuitOpen", handler.circuitOpen())
        .put("paused", handler.paused())
        .put("blockedLanes", handler.blockedLanes())
        .put("unavailable", Json.sorted(handler.unavailable()))
        .put("inMemory", handler.inMemory())
        .put("delivered", throughput.delivered())
        .put("failed", throughput.failed())
        .put("deliveredPerSecond", throughput.deliveredPerSecond())
        .put("failedPerSecond", throughput.failedPerSecond())
        .put("averageSeconds", Json.seconds(throughput.averageTime()));
  }

  private static JsonObject counts(RelayStatus.Counts counts) {
    return new JsonObject()
        .put("published", counts.published())
        .put("delivered", counts.delivered())
        .put("retried", counts.retried())
        .put("dead", counts.dead())
        .put("expired", counts.expired())
        .put("ignored", counts.ignored())
        .put("settled", counts.settled());
  }
}

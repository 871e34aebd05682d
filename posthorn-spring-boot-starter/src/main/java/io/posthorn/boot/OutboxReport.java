/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.Admin.Survey;
import io.posthorn.Posthorn;
import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.HandlerStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** What the Actuator tells of an outbox, in values that any JSON library writes. */
final class OutboxReport {
  /** Of one partition; counts end there. */
  private static final int SURVEY_LIMIT = 500;

  private OutboxReport() {}

  static Map<String, Object> each(
      Map<String, Posthorn> outboxes, Function<Posthorn, Map<String, Object>> report) {
    Map<String, Object> reports = new TreeMap<>();
    outboxes.forEach((name, outbox) -> reports.put(name, report.apply(outbox)));
    return reports;
  }

  /** Costs nothing: the database is not asked. */
  static Map<String, Object> info(Posthorn outbox) {
    Map<String, Object> info = new LinkedHashMap<>();
    RelayStatus relay = outbox.status().orElse(null);
    info.put("relay", relay == null ? "none" : relay.name());
    if (relay != null) {
      info.put("version", relay.program().version());
      info.put("startedAt", relay.program().startedAt().toString());
      info.put("handlers", relay.handlers().keySet().stream().sorted().toList());
    }
    return info;
  }

  static Map<String, Object> status(Posthorn outbox) {
    Map<String, Object> status = new LinkedHashMap<>();
    Survey survey = outbox.admin().survey(SURVEY_LIMIT);
    status.put("ready", survey.ready().stream().mapToLong(Survey.Ready::messages).sum());
    status.put("deferred", sum(survey.deferred()));
    status.put("deadLetters", sum(survey.dead()));
    status.put("oldestReadySeconds", survey.oldestReady().toMillis() / 1_000.0);
    status.put("capped", survey.capped());
    status.put("instances", survey.instances());
    outbox.status().ifPresent(relay -> status.put("relay", relay(relay)));
    return status;
  }

  private static long sum(List<Survey.Waiting> waiting) {
    return waiting.stream().mapToLong(Survey.Waiting::messages).sum();
  }

  private static Map<String, Object> relay(RelayStatus relay) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("name", relay.name());
    report.put("leaseValid", relay.leaseValid());
    report.put("partitions", relay.epochs().keySet().stream().sorted().toList());
    report.put("inMemory", relay.inMemory());
    report.put("blockedLanes", relay.blockedLanes());
    report.put("delivered", relay.counts().delivered());
    report.put("retried", relay.counts().retried());
    report.put("dead", relay.counts().dead());
    Map<String, Object> handlers = new TreeMap<>();
    relay.handlers().forEach((name, handler) -> handlers.put(name, handler(handler)));
    report.put("handlers", handlers);
    return report;
  }

  private static Map<String, Object> handler(HandlerStatus handler) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("circuitOpen", handler.circuitOpen());
    report.put("paused", handler.paused());
    report.put("blockedLanes", handler.blockedLanes());
    report.put("unavailable", handler.unavailable().stream().sorted().toList());
    report.put("inMemory", handler.inMemory());
    report.put("deliveredPerSecond", handler.throughput().deliveredPerSecond());
    report.put("failedPerSecond", handler.throughput().failedPerSecond());
    return report;
  }
}

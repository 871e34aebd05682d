/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.Admin;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.Page;
import io.posthorn.DatabaseHealth;
import io.posthorn.Fleet;
import io.posthorn.spi.DeferReason;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.FleetSurvey.Paused;
import io.posthorn.spi.PartitionOwner;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Shows the fleet: handlers, instances, partitions, lanes, and the database under it. */
record FleetViews(Entries entries) {
  private static final int MAX_PATIENCE_SECONDS = 86_400;
  private static final int MAX_KEY = 1_000;

  JsonObject handlers(Call call) {
    Admin admin = call.admin();
    call.query().end();
    return items(admin.fleet().handlers().stream().map(FleetViews::handler).toList());
  }

  private static JsonObject handler(Fleet.HandlerState handler) {
    return new JsonObject()
        .put("name", handler.name())
        .put("types", Json.sorted(handler.types()))
        .put("paused", handler.pausedSince() != null)
        .put("pausedSince", handler.pausedSince())
        .put("relays", handler.relays())
        .put("circuitOpen", handler.circuitOpen())
        .put("unavailable", Json.sorted(handler.unavailable()))
        .put("inMemory", handler.inMemory())
        .put("blockedLanes", handler.blockedLanes())
        .put("deliveredPerSecond", handler.deliveredPerSecond())
        .put("failedPerSecond", handler.failedPerSecond())
        .put("averageSeconds", Json.seconds(handler.averageTime()));
  }

  JsonObject instances(Call call) {
    Admin admin = call.admin();
    call.query().end();
    return items(admin.fleet().instances().stream().map(FleetViews::instance).toList());
  }

  private static JsonObject instance(Fleet.Instance instance) {
    return new JsonObject()
        .put("name", instance.identity().id())
        .put("incarnation", instance.identity().incarnation())
        .put("leaseValid", instance.leaseValid())
        .put("leaseEnd", instance.leaseEnd())
        .put("heartbeatAt", instance.heartbeatAt())
        .put("handlers", Json.sorted(instance.handlers().keySet()))
        .put("partitions", instance.partitions())
        .put("status", instance.status() == null ? null : Figures.relay(instance.status()));
  }

  JsonObject partitions(Call call) {
    Admin admin = call.admin();
    call.query().end();
    Map<String, Instant> paused =
        admin.fleet().pauses().stream()
            .filter(pause -> pause.kind() == Paused.PARTITION)
            .collect(Collectors.toMap(Pause::name, Pause::since, (one, other) -> one));
    return items(
        admin.fleet().partitions().stream()
            .map(
                partition ->
                    partition(partition, paused.get(Integer.toString(partition.partition()))))
            .toList());
  }

  private static JsonObject partition(PartitionOwner partition, @Nullable Instant pausedSince) {
    return new JsonObject()
        .put("partition", partition.partition())
        .put("owner", partition.owner() == null ? null : partition.owner().id())
        .put("epoch", partition.epoch())
        .put("crashes", partition.crashes())
        .put("floor", partition.floor())
        .put("paused", pausedSince != null)
        .put("pausedSince", pausedSince);
  }

  JsonObject partitionOfKey(Call call) {
    Admin admin = call.admin();
    String key = call.query().text("key");
    call.query().end();
    if (key == null || key.length() > MAX_KEY) {
      throw RequestProblem.badRequest(
          "the parameter \"key\" must have 1 to %d characters", MAX_KEY);
    }
    int partition = admin.fleet().partitionOf(key);
    String owner =
        admin.fleet().partitions().stream()
            .filter(each -> each.partition() == partition && each.owner() != null)
            .map(each -> each.owner() == null ? "" : each.owner().id())
            .findFirst()
            .orElse(null);
    return new JsonObject().put("key", key).put("partition", partition).put("owner", owner);
  }

  JsonObject lanes(Call call) {
    Admin admin = call.admin();
    DeferReason reason = call.query().constant("reason", DeferReason.class);
    if (reason == null) {
      reason = DeferReason.BLOCKED;
    } else if (reason != DeferReason.BLOCKED && reason != DeferReason.RETRYING) {
      throw RequestProblem.badRequest(
          "the parameter \"reason\" was %s but must be BLOCKED or RETRYING", reason);
    }
    Admin.Filter filter =
        new Admin.Filter(
            null,
            call.query().text("handler"),
            call.query().text("key"),
            null,
            null,
            null,
            null,
            null,
            reason);
    String cursor = call.query().text("cursor");
    int limit = Lists.limit(call.query());
    call.query().end();
    Page<DeferredEntry> page = admin.deferred().page(filter, cursor, limit);
    List<JsonObject> lanes =
        page.items().stream().filter(head -> head.key() != null).map(this::lane).toList();
    return items(lanes).put("cursor", page.cursor());
  }

  private JsonObject lane(DeferredEntry head) {
    return new JsonObject()
        .put("handler", head.handler())
        .put("key", head.key())
        .put("partition", head.message().partition())
        .put("reason", head.reason())
        .put("since", head.deferredAt())
        .put("head", entries.deferred(head));
  }

  static JsonObject database(Call call) {
    Admin admin = call.admin();
    int patience = call.query().integer("patience", 0, MAX_PATIENCE_SECONDS, 60);
    call.query().end();
    DatabaseHealth health = admin.databaseHealth(Duration.ofSeconds(patience));
    DatabaseHealth.Holder oldest = health.oldest();
    return new JsonObject()
        .put("tables", health.tables().stream().map(FleetViews::table).toList())
        .put(
            "oldest",
            oldest == null
                ? null
                : new JsonObject()
                    .put("who", oldest.who())
                    .put("ageSeconds", Json.seconds(oldest.age())))
        .put("historyLength", health.historyLength())
        .put("floorLag", health.floorLag())
        .put(
            "findings",
            health.findings().stream()
                .map(
                    finding ->
                        new JsonObject()
                            .put("topic", finding.topic())
                            .put("found", finding.found())
                            .put("advice", finding.advice()))
                .toList())
        .put("unseen", health.unseen());
  }

  private static JsonObject table(DatabaseHealth.Table table) {
    return new JsonObject()
        .put("name", table.name())
        .put("bytes", table.bytes())
        .put("indexBytes", table.indexBytes())
        .put("rows", table.rows())
        .put("deadRows", table.deadRows())
        .put("vacuumedAt", table.vacuumedAt());
  }

  private static JsonObject items(List<JsonObject> items) {
    return new JsonObject().put("items", items);
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import io.posthorn.Fleet.HandlerState;
import io.posthorn.Fleet.Instance;
import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.HandlerStatus;
import io.posthorn.RelayStatus.Throughput;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.Report;
import io.posthorn.spi.FleetSurvey;
import io.posthorn.spi.FleetSurvey.Pause;
import io.posthorn.spi.FleetSurvey.Paused;
import io.posthorn.spi.LiveInstance;
import io.posthorn.spi.PartitionOwner;
import io.posthorn.spi.RelayIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The fleet as the tables show it: who is there, and what each relay said of itself.
 *
 * @param instances by name
 */
record FleetView(List<Instance> instances, Set<Pause> pauses) {
  private static final Comparator<Instance> BY_NAME =
      Comparator.comparing((Instance instance) -> instance.identity().id())
          .thenComparing(instance -> instance.identity().incarnation());

  static FleetView of(AdminStore store) {
    FleetSurvey survey = store.fleet();
    Map<RelayIdentity, Report> reports =
        store.reports().stream().collect(Collectors.toMap(Report::identity, Function.identity()));
    List<Instance> instances =
        survey.instances().stream()
            .map(instance -> instance(instance, survey, reports.get(instance.identity())))
            .sorted(BY_NAME)
            .toList();
    return new FleetView(instances, survey.pauses());
  }

  private static Instance instance(
      LiveInstance instance, FleetSurvey survey, @Nullable Report report) {
    Map<Integer, Long> epochs =
        survey.partitions().stream()
            .filter(partition -> instance.identity().equals(partition.owner()))
            .collect(Collectors.toMap(PartitionOwner::partition, PartitionOwner::epoch));
    return new Instance(
        instance.identity(),
        !instance.stale(),
        instance.handlers(),
        epochs.keySet().stream().sorted().toList(),
        report == null ? null : report.leaseEnd(),
        report == null ? null : report.at(),
        status(instance, epochs, report));
  }

  private static @Nullable RelayStatus status(
      LiveInstance instance, Map<Integer, Long> epochs, @Nullable Report report) {
    String text = report == null ? null : report.text();
    return text == null
        ? null
        : StatusText.parse(text, instance.identity().id(), !instance.stale(), epochs).orElse(null);
  }

  /** By name. */
  List<HandlerState> handlers() {
    Map<String, Handler> found = new TreeMap<>();
    for (Instance instance : instances) {
      instance
          .handlers()
          .forEach(
              (name, types) ->
                  found.computeIfAbsent(name, any -> new Handler()).add(instance, name, types));
    }
    Map<String, Instant> paused = new HashMap<>();
    for (Pause pause : pauses) {
      if (pause.kind() == Paused.HANDLER) {
        paused.put(pause.name(), pause.since());
        found.computeIfAbsent(pause.name(), any -> new Handler());
      }
    }
    List<HandlerState> states = new ArrayList<>();
    found.forEach((name, handler) -> states.add(handler.state(name, paused.get(name))));
    return states;
  }

  /** What is known of a handler so far. */
  private static final class Handler {
    private final Set<String> types = new HashSet<>();
    private final List<String> relays = new ArrayList<>();
    private final List<String> circuitOpen = new ArrayList<>();
    private final Collection<HandlerStatus> statuses = new ArrayList<>();

    void add(Instance instance, String name, Set<String> taken) {
      types.addAll(taken);
      if (!instance.leaseValid()) {
        return; // what it said last is no longer so
      }
      String relay = instance.identity().id();
      relays.add(relay);
      RelayStatus status = instance.status();
      HandlerStatus said = status == null ? null : status.handlers().get(name);
      if (said != null) {
        statuses.add(said);
        if (said.circuitOpen()) {
          circuitOpen.add(relay);
        }
      }
    }

    HandlerState state(String name, @Nullable Instant pausedSince) {
      return new HandlerState(
          name,
          types,
          pausedSince,
          relays,
          circuitOpen,
          statuses.stream()
              .flatMap(status -> status.unavailable().stream())
              .collect(Collectors.toSet()),
          statuses.stream().mapToInt(HandlerStatus::inMemory).sum(),
          statuses.stream().mapToInt(HandlerStatus::blockedLanes).sum(),
          total(Throughput::deliveredPerSecond),
          total(Throughput::failedPerSecond),
          averageTime());
    }

    private double total(Function<Throughput, Double> rate) {
      return statuses.stream().mapToDouble(status -> rate.apply(status.throughput())).sum();
    }

    /** Of all deliveries alike: a relay that delivers more counts for more. */
    private Duration averageTime() {
      double rates = 0;
      double nanos = 0;
      for (HandlerStatus status : statuses) {
        Throughput throughput = status.throughput();
        double rate = throughput.deliveredPerSecond() + throughput.failedPerSecond();
        rates += rate;
        nanos += rate * throughput.averageTime().toNanos();
      }
      return rates == 0 ? Duration.ZERO : Duration.ofNanos((long) (nanos / rates));
    }
  }
}

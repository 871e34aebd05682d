/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import io.posthorn.RelayStatus;
import io.posthorn.RelayStatus.Counts;
import io.posthorn.RelayStatus.HandlerStatus;
import io.posthorn.RelayStatus.Program;
import io.posthorn.RelayStatus.Throughput;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A relay's status as it is stored beside its heartbeat: a line for the relay and one for each
 * handler, of {@code name=value} pairs. It is ASCII and has a greatest length, so that no database
 * can refuse it: the heartbeat depends on that. Lease and partitions are not in it, since the
 * tables have them.
 */
public final class StatusText {
  /** Handlers for which there is no room are left out. */
  static final int MAX_LENGTH = 16_000;

  private static final int MAX_DESTINATIONS = 20;
  private static final String RELAY = "relay";
  private static final String HANDLER = "handler";

  private StatusText() {}

  public static String of(RelayStatus status) {
    StringBuilder text = new StringBuilder(relayLine(status));
    new TreeMap<>(status.handlers())
        .forEach(
            (name, handler) -> {
              String line = handlerLine(name, handler);
              if (text.length() + line.length() < MAX_LENGTH) {
                text.append('\n').append(line);
              }
            });
    return text.toString();
  }

  private static String relayLine(RelayStatus status) {
    Program program = status.program();
    Counts counts = status.counts();
    Line line = new Line(RELAY).add("version", program.version());
    if (program.applicationVersion() != null) {
      line.add("application", program.applicationVersion());
    }
    return line.add("started", program.startedAt())
        .add("messages", status.inMemory())
        .add("bytes", status.bytesInMemory())
        .add("lanes", status.lanesInMemory())
        .add("blocked", status.blockedLanes())
        .add("published", counts.published())
        .add("delivered", counts.delivered())
        .add("retried", counts.retried())
        .add("dead", counts.dead())
        .add("expired", counts.expired())
        .add("ignored", counts.ignored())
        .add("settled", counts.settled())
        .toString();
  }

  private static String handlerLine(String name, HandlerStatus status) {
    Throughput throughput = status.throughput();
    Line line =
        new Line(HANDLER)
            .add("name", name)
            .add("open", status.circuitOpen())
            .add("paused", status.paused())
            .add("blocked", status.blockedLanes())
            .add("messages", status.inMemory())
            .add("delivered", throughput.delivered())
            .add("failed", throughput.failed())
            .add("rate", rounded(throughput.deliveredPerSecond()))
            .add("failures", rounded(throughput.failedPerSecond()))
            .add("nanos", throughput.averageTime().toNanos());
    String unavailable =
        status.unavailable().stream()
            .sorted()
            .limit(MAX_DESTINATIONS)
            .map(StatusText::encoded)
            .collect(Collectors.joining(","));
    return unavailable.isEmpty() ? line.toString() : line + " unavailable=" + unavailable;
  }

  private static double rounded(double rate) {
    return Math.round(rate * 100) / 100.0;
  }

  private static String encoded(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  private static String decoded(String value) {
    return URLDecoder.decode(value, StandardCharsets.UTF_8);
  }

  /** A line that is being written. */
  private static final class Line {
    private final StringBuilder text;

    Line(String kind) {
      this.text = new StringBuilder(kind);
    }

    Line add(String name, Object value) {
      text.append(' ').append(name).append('=').append(encoded(value.toString()));
      return this;
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }

  /**
   * Of any text: what another version or a person has written must not hide the whole fleet.
   *
   * @param epochs the partitions that the relay owns
   * @return empty if it is not the text of a status
   */
  public static Optional<RelayStatus> parse(
      String text, String name, boolean leaseValid, Map<Integer, Long> epochs) {
    try {
      Fields relay = new Fields(Map.of());
      Map<String, HandlerStatus> handlers = new HashMap<>();
      for (String line : text.lines().toList()) {
        Fields fields = Fields.parse(line);
        if (line.startsWith(HANDLER + " ")) {
          handlers.put(fields.text("name"), handler(fields));
        } else if (line.startsWith(RELAY + " ")) {
          relay = fields;
        }
      }
      return Optional.of(
          new RelayStatus(
              name,
              program(relay),
              leaseValid,
              epochs,
              (int) relay.number("messages"),
              relay.number("bytes"),
              (int) relay.number("lanes"),
              (int) relay.number("blocked"),
              handlers,
              counts(relay)));
    } catch (IllegalArgumentException | DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Program program(Fields relay) {
    String application = relay.values.get("application");
    return new Program(relay.text("version"), application, Instant.parse(relay.text("started")));
  }

  private static Counts counts(Fields relay) {
    return new Counts(
        relay.number("published"),
        relay.number("delivered"),
        relay.number("retried"),
        relay.number("dead"),
        relay.number("expired"),
        relay.number("ignored"),
        relay.number("settled"));
  }

  private static HandlerStatus handler(Fields fields) {
    return new HandlerStatus(
        fields.flag("open"),
        fields.flag("paused"),
        (int) fields.number("blocked"),
        fields.list("unavailable"),
        (int) fields.number("messages"),
        new Throughput(
            fields.number("delivered"),
            fields.number("failed"),
            fields.rate("rate"),
            fields.rate("failures"),
            Duration.ofNanos(fields.number("nanos"))));
  }

  /** The pairs of a line; a number that another version left out is zero. */
  private record Fields(Map<String, String> values) {
    static Fields parse(String line) {
      Map<String, String> values = new HashMap<>();
      for (String pair : line.split(" ", -1)) {
        int equals = pair.indexOf('=');
        if (equals > 0) {
          String name = pair.substring(0, equals);
          String value = pair.substring(equals + 1);
          values.put(name, name.equals("unavailable") ? value : decoded(value));
        }
      }
      return new Fields(values);
    }

    String text(String name) {
      return values.getOrDefault(name, "");
    }

    long number(String name) {
      return Long.parseLong(values.getOrDefault(name, "0"));
    }

    double rate(String name) {
      return Double.parseDouble(values.getOrDefault(name, "0"));
    }

    boolean flag(String name) {
      return Boolean.parseBoolean(text(name));
    }

    Set<String> list(String name) {
      return Stream.of(text(name).split(",", -1))
          .filter(item -> !item.isEmpty())
          .map(StatusText::decoded)
          .collect(Collectors.toSet());
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names of an outbox's tables. Prefix and schema come from configuration and are substituted
 * into SQL, so they are checked here, and nowhere else are names put together.
 */
public final class Tables {
  private static final Pattern PREFIX = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,29}");
  private static final Pattern SCHEMA = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");

  /** What the scripts call {@code outbox_message}, and so on: tables, sequences and views. */
  private static final List<String> NAMES =
      List.of(
          "message",
          "deferred",
          "deferred_floor",
          "dead",
          "history",
          "idempotency",
          "pause",
          "action",
          "instance",
          "heartbeat",
          "gone",
          "partition",
          "schema",
          "gate",
          "seq",
          "incarnation",
          "text",
          "ready_view",
          "deferred_view",
          "dead_view",
          "history_view",
          "partition_view");

  /** Gates may be tables of their own, which are numbered. */
  private static final Pattern TABLE_IN_SCRIPT =
      Pattern.compile("\\boutbox_(" + String.join("|", NAMES) + ")((?:_\\d+)?)\\b");

  private static final Pattern INDEX_OR_CHECK_IN_SCRIPT =
      Pattern.compile("\\boutbox_(\\w+_(?:ix|ck))\\b");

  private static final int LONGEST_NAME = 63;

  private final String prefix;
  private final @Nullable String schema;
  private final Map<String, String> full;

  /**
   * @param schema null: the connection's own
   */
  public Tables(String prefix, @Nullable String schema) {
    this(prefix, schema, Map.of());
  }

  /**
   * @param full names without the schema that do not begin with the prefix, by what follows it
   *     otherwise
   */
  public Tables(String prefix, @Nullable String schema, Map<String, String> full) {
    this.prefix = prefix;
    this.schema = schema;
    this.full = Map.copyOf(full);
  }

  /**
   * Why these names cannot be used; empty if they can.
   *
   * @param place what the settings begin with
   */
  public static List<String> problems(String place, String prefix, @Nullable String schema) {
    List<String> problems = new ArrayList<>();
    if (!PREFIX.matcher(prefix).matches()) {
      problems.add(
          "%s.table-prefix was \"%s\" but must have 1 to 30 letters, digits or underscores, and not begin with a digit"
              .formatted(place, prefix));
    }
    if (schema != null && !SCHEMA.matcher(schema).matches()) {
      problems.add(
          "%s.schema was \"%s\" but must have 1 to 63 letters, digits or underscores, and not begin with a digit"
              .formatted(place, schema));
    }
    return problems;
  }

  /**
   * Why these full names cannot be used beside the prefix; empty if they can.
   *
   * @param place what the settings begin with
   */
  public static List<String> problems(String place, String prefix, Map<String, String> full) {
    List<String> problems = new ArrayList<>();
    new TreeMap<>(full)
        .forEach(
            (table, name) -> {
              String setting = place + ".tables." + table;
              if (!NAMES.contains(table)) {
                problems.add(
                    "%s is no table of the outbox; there are %s"
                        .formatted(setting, String.join(", ", NAMES)));
              } else if (!SCHEMA.matcher(name).matches()) {
                problems.add(
                    "%s was \"%s\" but must have 1 to 63 letters, digits or underscores, and not begin with a digit"
                        .formatted(setting, name));
              }
            });
    Map<String, String> taken = new HashMap<>();
    for (String table : NAMES) {
      String name = full.getOrDefault(table, prefix + table);
      String other = taken.put(name.toLowerCase(Locale.ROOT), table);
      if (other != null) {
        problems.add(
            "%1$s.tables.%2$s and %1$s.tables.%3$s have the same name, \"%4$s\""
                .formatted(place, other, table, name));
      }
    }
    return problems;
  }

  public String message() {
    return name("message");
  }

  public String deferred() {
    return name("deferred");
  }

  /** The index of the deferred table by which the rows of a lane are found in their order. */
  String laneIndex() {
    return prefix + "deferred_lane_ix";
  }

  public String deferredFloor() {
    return name("deferred_floor");
  }

  public String dead() {
    return name("dead");
  }

  public String history() {
    return name("history");
  }

  public String idempotency() {
    return name("idempotency");
  }

  public String pause() {
    return name("pause");
  }

  public String action() {
    return name("action");
  }

  public String instance() {
    return name("instance");
  }

  public String heartbeat() {
    return name("heartbeat");
  }

  public String gone() {
    return name("gone");
  }

  public String partition() {
    return name("partition");
  }

  public String schema() {
    return name("schema");
  }

  public String gate() {
    return name("gate");
  }

  public String seq() {
    return name("seq");
  }

  public String incarnation() {
    return name("incarnation");
  }

  /** A name of its own for signals of this outbox, at most as long as databases take. */
  String channel() {
    String full =
        ("posthorn_" + (schema == null ? "" : schema + "_") + prefix).toLowerCase(Locale.ROOT);
    return full.length() <= LONGEST_NAME
        ? full
        : full.substring(0, LONGEST_NAME - 9) + "_" + "%08x".formatted(full.hashCode());
  }

  /** The full name of the table or sequence that is called {@code outbox_table} in the scripts. */
  String name(String table) {
    return (schema == null ? "" : schema + ".") + full.getOrDefault(table, prefix + table);
  }

  /** Puts these names, and the number of partitions, into a shipped script. */
  String inScript(String script, int partitions) {
    String tables =
        TABLE_IN_SCRIPT.matcher(script).replaceAll(match -> name(match.group(1)) + match.group(2));
    String indexes =
        INDEX_OR_CHECK_IN_SCRIPT
            .matcher(tables)
            .replaceAll(match -> Matcher.quoteReplacement(prefix + match.group(1)));
    return indexes.replace("(0, 63)", "(0, " + (partitions - 1) + ")");
  }

  /** Puts these names into a shipped script for an inbox. */
  String inInboxScript(String script) {
    return script
        .replaceAll("\\binbox_message_age_ix\\b", prefix + "message_age_ix")
        .replaceAll("\\binbox_message\\b", message());
  }
}

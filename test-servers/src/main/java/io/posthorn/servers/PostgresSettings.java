/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Lines for the end of {@code postgresql.conf}. As durable as a production server, because tests
 * kill it and look for committed rows, and with a time zone that reveals who relies on UTC.
 */
record PostgresSettings(Map<String, String> values) {

  PostgresSettings {
    values = new LinkedHashMap<>(values);
  }

  static PostgresSettings durable() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("listen_addresses", "127.0.0.1");
    values.put("unix_socket_directories", "");
    values.put("fsync", "on");
    values.put("synchronous_commit", "on");
    values.put("full_page_writes", "on");
    values.put("shared_buffers", "256MB");
    values.put("max_connections", "200");
    values.put("max_prepared_transactions", "8"); // none by default, and some tests prepare one
    values.put("wal_keep_size", "512MB"); // so that a standby finds all that it has to follow
    // Files in the data directory instead of /dev/shm, where a killed server would leave them.
    values.put("dynamic_shared_memory_type", "mmap");
    values.put("timezone", "America/St_Johns");
    values.put("log_timezone", "UTC");
    return new PostgresSettings(values);
  }

  PostgresSettings with(String name, String value) {
    if (!name.matches("[A-Za-z_][A-Za-z0-9_.]*")) {
      throw new IllegalArgumentException("\"" + name + "\" is not the name of a setting");
    }
    PostgresSettings changed = new PostgresSettings(values);
    changed.values.put(name, value);
    return changed;
  }

  String asConfiguration() {
    return values.entrySet().stream()
        .map(setting -> setting.getKey() + " = '" + setting.getValue().replace("'", "''") + "'\n")
        .collect(Collectors.joining("", "\n", ""));
  }
}

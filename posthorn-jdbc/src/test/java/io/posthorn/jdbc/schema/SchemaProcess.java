/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.jdbc.Dialect;
import io.posthorn.jdbc.JdbcMessageStore;
import java.util.List;
import java.util.concurrent.Callable;

/** What a process does with the tables at its start; public for those who load it by its name. */
public final class SchemaProcess implements Callable<List<Integer>> {
  private final String url;
  private final String dialect;
  private final boolean next;
  private final String prefix;

  public SchemaProcess(String url, String dialect, boolean next, String prefix) {
    this.url = url;
    this.dialect = dialect;
    this.next = next;
    this.prefix = prefix;
  }

  @Override
  public List<Integer> call() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(1);
    try (HikariDataSource dataSource = new HikariDataSource(config)) {
      JdbcMessageStore.Builder store =
          JdbcMessageStore.builder(dataSource).tablePrefix(prefix).createTables(true);
      if (next) {
        Dialect nextVersion = NextVersion.of(dialect);
        store.dialect(nextVersion);
      }
      return store.build().schema().apply();
    }
  }
}

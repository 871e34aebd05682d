/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import io.posthorn.cli.Database;
import io.posthorn.cli.config.Section;
import io.posthorn.jdbc.JdbcMessageStore;
import java.util.Locale;
import java.util.function.Consumer;

/** The section {@code database}: where the outbox is. */
record DatabaseConfig(Database.Address address, Consumer<JdbcMessageStore.Builder> store) {
  /** Three that the relay keeps, one for operators and one for what is counted. */
  private static final int MIN_CONNECTIONS = 5;

  static DatabaseConfig of(Section section) {
    String url = section.neededText("url", "jdbc:postgresql://localhost:5432/shop");
    if (url.toLowerCase(Locale.ROOT).contains("password=")) {
      section.problem("url", "has a password; set database.password to ${NAME} instead");
    }
    int connections = section.integer("connections").orElse(MIN_CONNECTIONS);
    if (connections < MIN_CONNECTIONS) {
      section.problem(
          "connections", "was %d but must be at least %d".formatted(connections, MIN_CONNECTIONS));
    }
    String user = section.text("user").orElse(null);
    String password = section.secret("password").orElse(null);
    return new DatabaseConfig(
        new Database.Address(url, user, password, connections), store(section));
  }

  private static Consumer<JdbcMessageStore.Builder> store(Section section) {
    var schema = section.text("schema");
    var prefix = section.text("table-prefix");
    var create = section.bool("create-tables");
    return builder -> {
      schema.ifPresent(builder::schema);
      prefix.ifPresent(builder::tablePrefix);
      create.ifPresent(builder::createTables);
    };
  }
}

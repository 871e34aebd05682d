/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.newdatabase;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.jdbc.Dialect;
import io.posthorn.jdbc.SqlSyntax;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/new-database.md tells the truth about the databases in its table, and about the dialect. */
class NewDatabaseDocTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "new-database.md");

  @TempDir Path directory;

  private interface Sessions {
    Connection open() throws SQLException;
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** What the database can do, each time with a new table. */
  private static Map<String, String> capabilities(Sessions sessions) throws SQLException {
    Map<String, String> found = new LinkedHashMap<>();
    for (RequiredCapability capability : RequiredCapability.values()) {
      try (Connection mine = sessions.open()) {
        run(
            mine,
            "CREATE TABLE probe (partition_no smallint NOT NULL, seq bigint NOT NULL, payload varchar(100), PRIMARY KEY (partition_no, seq))",
            "INSERT INTO probe VALUES (0, 1, 'a'), (0, 2, 'b'), (0, 3, 'öö')");
        found.put(capability.text(), has(capability, sessions) ? "yes" : "no");
        run(mine, "DROP TABLE probe");
      }
    }
    return found;
  }

  private static boolean has(RequiredCapability capability, Sessions sessions) throws SQLException {
    try (Connection mine = sessions.open();
        Connection other = sessions.open()) {
      mine.setAutoCommit(false);
      other.setAutoCommit(false);
      try {
        return capability.has(mine, other);
      } catch (SQLException refused) {
        return false;
      } finally {
        other.rollback();
        mine.rollback();
      }
    }
  }

  private static List<List<String>> table(String firstHead) throws IOException {
    List<String> lines = Files.readAllLines(DOCUMENT);
    int head = lines.indexOf(firstHead);
    assertThat(head).as("the table \"%s\"", firstHead).isNotNegative();
    return lines.subList(head + 2, lines.size()).stream()
        .takeWhile(line -> line.startsWith("|"))
        .map(line -> Arrays.stream(line.split("\\|", -1)).map(String::strip).toList())
        .toList();
  }

  private static Map<String, String> documented(int column) throws IOException {
    Map<String, String> cells = new LinkedHashMap<>();
    table("| it … | H2 2.4 | Derby 10.16 | SQLite 3.53 |")
        .forEach(cell -> cells.put(cell.get(1), cell.get(1 + column)));
    return cells;
  }

  @Test
  void h2CanDoAllThatIsRequired() throws Exception {
    String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=100";

    Map<String, String> found = capabilities(() -> DriverManager.getConnection(url));

    assertThat(found).isEqualTo(documented(1));
    assertThat(found.values()).containsOnly("yes");
  }

  @Test
  void derbyCannot() throws Exception {
    System.setProperty("derby.stream.error.file", directory.resolve("derby.log").toString());
    String url = "jdbc:derby:memory:" + UUID.randomUUID();
    try (Connection connection = DriverManager.getConnection(url + ";create=true")) {
      run(
          connection,
          "CALL SYSCS_UTIL.SYSCS_SET_DATABASE_PROPERTY('derby.locks.waitTimeout', '1')");
    }

    assertThat(capabilities(() -> DriverManager.getConnection(url))).isEqualTo(documented(2));
  }

  @Test
  void sqliteCannot() throws Exception {
    String url =
        "jdbc:sqlite:" + directory.resolve("outbox.db") + "?journal_mode=WAL&busy_timeout=100";

    assertThat(capabilities(() -> DriverManager.getConnection(url))).isEqualTo(documented(3));
  }

  private static final Pattern METHOD = Pattern.compile("`(\\w+)`");

  /** The names in the first column of a table. */
  private static Set<String> methods(String head) throws IOException {
    Set<String> names = new TreeSet<>();
    table(head)
        .forEach(row -> METHOD.matcher(row.get(1)).results().forEach(m -> names.add(m.group(1))));
    return names;
  }

  private static Set<String> methods(Class<?> asking, boolean required) {
    Set<String> names = new TreeSet<>();
    for (var method : asking.getDeclaredMethods()) {
      if (!method.isSynthetic()
          && Modifier.isAbstract(method.getModifiers()) == required
          && !Modifier.isPrivate(method.getModifiers())) {
        names.add(method.getName());
      }
    }
    return names;
  }

  @Test
  void eachQuestionOfTheDialectIsExplained() throws Exception {
    assertThat(methods("| every dialect answers | with |")).isEqualTo(methods(Dialect.class, true));
    assertThat(methods("| it may also answer | if |")).isEqualTo(methods(Dialect.class, false));
    assertThat(methods("| how it is written | if |")).isEqualTo(methods(SqlSyntax.class, false));
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ConfigurationException;
import io.posthorn.Posthorn;
import io.posthorn.servers.PostgresServer;
import io.posthorn.spi.StoreException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** What holds with HikariCP holds with other data sources. Issue 18, "Must hold" 7. */
class OtherPoolsDbTest {
  private static final String SESSIONS =
      "SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'posthorn-%' ORDER BY 1";

  private final String url = PostgresServer.shared().freshDatabase();

  /** Pools that Spring Boot can configure, by their properties. */
  enum Pool {
    TOMCAT(
        "org.apache.tomcat.jdbc.pool.DataSource", "tomcat.max-active", "tomcat.max-wait", "active"),
    DBCP(
        "org.apache.commons.dbcp2.BasicDataSource",
        "dbcp2.max-total",
        "dbcp2.max-wait-millis",
        "numActive");

    private final String type;
    private final String size;
    private final String wait;
    private final String active;

    Pool(String type, String size, String wait, String active) {
      this.type = type;
      this.size = size;
      this.wait = wait;
      this.active = active;
    }

    int active(ConfigurableApplicationContext context) {
      return (Integer)
          PropertyAccessorFactory.forBeanPropertyAccess(context.getBean(DataSource.class))
              .getPropertyValue(active);
    }
  }

  private ConfigurableApplicationContext run(Pool pool, int size, String... property) {
    return run(
        pool.type,
        Stream.concat(
                Stream.of(
                    "spring.datasource." + pool.size + "=" + size,
                    "spring.datasource." + pool.wait + "=500"),
                Stream.of(property))
            .toArray(String[]::new));
  }

  private ConfigurableApplicationContext run(String type, String... more) {
    return Shop.run(
        Shop.class,
        Stream.concat(
                Stream.of(
                    "spring.datasource.url=" + url,
                    "spring.datasource.type=" + type,
                    "posthorn.store.create-tables=true",
                    "posthorn.relay.name=shop-1"),
                Stream.of(more))
            .toArray(String[]::new));
  }

  private static void placesAndReceives(ConfigurableApplicationContext context) throws Exception {
    context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 7));
    assertThat(context.getBean(Shop.Mailer.class).next()).isEqualTo(new Shop.Order("o-1", 7));
    assertThat(context.getBean(Posthorn.class).relay().awaitIdle(Duration.ofSeconds(20))).isTrue();
  }

  private List<String> sessions() {
    return new JdbcTemplate(new DriverManagerDataSource(url)).queryForList(SESSIONS, String.class);
  }

  @ParameterizedTest
  @EnumSource
  void theRelayHasThreeNamedConnectionsOutsideThePool(Pool pool) throws Exception {
    try (ConfigurableApplicationContext context = run(pool, 2)) {
      placesAndReceives(context);

      assertThat(sessions())
          .containsExactly("posthorn-shop-1", "posthorn-shop-1", "posthorn-shop-1");
      assertThat(pool.active(context)).isZero();
    }
    assertThat(sessions()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aPoolThatCannotServeBothIsRefusedWithTheArithmetic(Pool pool) {
    assertThatThrownBy(() -> run(pool, 3, "posthorn.relay.data-source=dataSource").close())
        .hasRootCauseInstanceOf(ConfigurationException.class)
        .rootCause()
        .hasMessageContaining(
            "the relay keeps 3 connections and the application needs at least one more, but the pool has 3");
  }

  @ParameterizedTest
  @EnumSource
  void theRelayCanUseThePoolAndSaysWhenItIsExhausted(Pool pool) throws Exception {
    try (ConfigurableApplicationContext context =
        run(pool, 4, "posthorn.relay.data-source=dataSource")) {
      placesAndReceives(context);
      assertThat(pool.active(context)).isEqualTo(3);
      Posthorn posthorn = context.getBean(Posthorn.class);
      try (Connection last = context.getBean(DataSource.class).getConnection()) {
        assertThat(last.isClosed()).isFalse();
        assertThatThrownBy(() -> posthorn.admin().survey(1))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("no free connection in the pool (size 4, Posthorn holds 3)");
      }
    }
  }

  @Test
  void withoutAPoolTheRelaysConnectionsAreNamedToo() throws Exception {
    try (ConfigurableApplicationContext context = run(DriverManagerDataSource.class.getName())) {
      placesAndReceives(context);

      assertThat(sessions())
          .containsExactly("posthorn-shop-1", "posthorn-shop-1", "posthorn-shop-1");
    }
    assertThat(sessions()).isEmpty();
  }
}

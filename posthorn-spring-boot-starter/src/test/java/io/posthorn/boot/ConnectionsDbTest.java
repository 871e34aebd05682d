/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.ConfigurationException;
import io.posthorn.Posthorn;
import io.posthorn.servers.PostgresServer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Where the relay's connections come from. Issue 18, "Must hold" 7; first-hour.md, 1. */
class ConnectionsDbTest {
  private static final String SESSIONS =
      "SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'posthorn-%' ORDER BY 1";

  private final String url = PostgresServer.shared().freshDatabase();

  private ConfigurableApplicationContext run(Class<?> more, int poolSize, String... properties) {
    String[] all = Arrays.copyOf(properties, properties.length + 5);
    all[properties.length] = "spring.datasource.url=" + url;
    all[properties.length + 1] = "spring.datasource.hikari.maximum-pool-size=" + poolSize;
    all[properties.length + 2] = "spring.datasource.hikari.connection-timeout=5000";
    all[properties.length + 3] = "posthorn.store.create-tables=true";
    all[properties.length + 4] = "posthorn.relay.name=shop-1";
    return Shop.run(more, all);
  }

  private static void placesAndReceives(ConfigurableApplicationContext context) throws Exception {
    context.getBean(Shop.Counter.class).place(new Shop.Order("o-1", 7));
    assertThat(context.getBean(Shop.Mailer.class).next()).isEqualTo(new Shop.Order("o-1", 7));
    assertThat(context.getBean(Posthorn.class).relay().awaitIdle(Duration.ofSeconds(20))).isTrue();
  }

  private List<String> sessions() {
    return new JdbcTemplate(new DriverManagerDataSource(url)).queryForList(SESSIONS, String.class);
  }

  @Test
  void theRelayHasThreeNamedConnectionsOutsideThePool() throws Exception {
    try (ConfigurableApplicationContext context = run(Shop.class, 2)) {
      placesAndReceives(context);

      assertThat(sessions())
          .containsExactly("posthorn-shop-1", "posthorn-shop-1", "posthorn-shop-1");
      assertThat(
              context.getBean(HikariDataSource.class).getHikariPoolMXBean().getActiveConnections())
          .isZero();
    }
    assertThat(sessions()).isEmpty();
  }

  @Test
  void aPoolThatCannotServeBothIsRefusedWithTheArithmetic() {
    assertThatThrownBy(() -> run(Shop.class, 3, "posthorn.relay.data-source=dataSource").close())
        .hasRootCauseInstanceOf(ConfigurationException.class)
        .rootCause()
        .hasMessageContaining(
            "the relay keeps 3 connections and the application needs at least one more, but the pool has 3");
  }

  @Test
  void theRelayCanUseThePool() throws Exception {
    try (ConfigurableApplicationContext context =
        run(Shop.class, 4, "posthorn.relay.data-source=dataSource")) {
      placesAndReceives(context);

      assertThat(
              context.getBean(HikariDataSource.class).getHikariPoolMXBean().getActiveConnections())
          .isEqualTo(3);
    }
  }

  @Test
  void aNameThatIsNoDataSourceIsRefused() {
    assertThatThrownBy(() -> run(Shop.class, 4, "posthorn.relay.data-source=relay").close())
        .rootCause()
        .hasMessage(
            "posthorn.relay.data-source is \"relay\", but there is no data source of that name; there are [dataSource]");
  }

  /** The application's own, and one for the relay. */
  @Configuration(proxyBeanMethods = false)
  static class Two {
    private static HikariDataSource pool(Environment environment, String name, int size) {
      HikariDataSource pool = new HikariDataSource();
      pool.setJdbcUrl(environment.getProperty("spring.datasource.url"));
      pool.setPoolName(name);
      pool.setMaximumPoolSize(size);
      return pool;
    }

    @Bean
    @Primary
    HikariDataSource main(Environment environment) {
      return pool(environment, "main", 2);
    }

    @Bean
    HikariDataSource relay(Environment environment) {
      return pool(environment, "relay", 5);
    }
  }

  @Test
  void theRelayCanHaveAnotherDataSource() throws Exception {
    try (ConfigurableApplicationContext context =
        run(Two.class, 2, "posthorn.relay.data-source=relay")) {
      placesAndReceives(context);

      HikariDataSource relay = context.getBean("relay", HikariDataSource.class);
      assertThat(relay.getHikariPoolMXBean().getActiveConnections()).isEqualTo(3);
    }
  }

  /** A pool behind Spring's wrappers. */
  @Configuration(proxyBeanMethods = false)
  static class Wrapped {
    @Bean
    DataSource dataSource(Environment environment) {
      return new TransactionAwareDataSourceProxy(
          new LazyConnectionDataSourceProxy(Two.pool(environment, "wrapped", 2)));
    }
  }

  @Test
  void aWrappedPoolIsSeenThrough() throws Exception { // issue 18, E13
    try (ConfigurableApplicationContext context = run(Wrapped.class, 2)) {
      placesAndReceives(context);

      assertThat(sessions()).hasSize(3);
    }
  }
}

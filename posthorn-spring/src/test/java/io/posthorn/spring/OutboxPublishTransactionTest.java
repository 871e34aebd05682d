/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.PublishException;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.spi.TransactionCallbacks;
import io.posthorn.spi.Transactions;
import java.sql.Connection;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * On a real database and transaction manager: the publishing is part of the method's transaction.
 */
class OutboxPublishTransactionTest {
  interface Orders {
    String place(String id);

    String placeWithoutKey(String id);

    String placeAndFail(String id);

    String placeWithoutTransaction(String id);
  }

  static class OrderService implements Orders {
    private final JdbcTemplate jdbc;

    OrderService(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    private String insert(String id) {
      jdbc.update("INSERT INTO orders (id) VALUES (?)", id);
      return "{}";
    }

    @Override
    @Transactional
    @OutboxPublish(type = "order-placed", key = "#id")
    public String place(String id) {
      return insert(id);
    }

    @Override
    @Transactional
    @OutboxPublish(type = "order-placed", key = "null")
    public String placeWithoutKey(String id) {
      return insert(id);
    }

    @Override
    @Transactional
    @OutboxPublish(type = "order-placed", key = "#id")
    public String placeAndFail(String id) {
      insert(id);
      throw new IllegalStateException("too late");
    }

    @Override
    @OutboxPublish(type = "order-placed", key = "#id")
    public String placeWithoutTransaction(String id) {
      return "{}";
    }
  }

  /** As little as it takes to publish in a transaction of Spring's. */
  static final class BoundTransactions implements Transactions {
    private final DataSource dataSource;

    BoundTransactions(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    @Override
    public Bound current() {
      if (!TransactionSynchronizationManager.isActualTransactionActive()) {
        throw new PublishException("No message published: no transaction of Spring's");
      }
      if (TransactionSynchronizationManager.getResource(this) instanceof Bound bound) {
        return bound;
      }
      Bound bound = new Bound(DataSourceUtils.getConnection(dataSource));
      TransactionSynchronizationManager.bindResource(this, bound);
      TransactionSynchronizationManager.registerSynchronization(
          new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
              bound.prepareCommit();
            }

            @Override
            public void afterCompletion(int status) {
              TransactionSynchronizationManager.unbindResource(BoundTransactions.this);
              if (status == STATUS_COMMITTED) {
                bound.committed();
              } else {
                bound.rolledBack();
              }
            }
          });
      return bound;
    }

    static final class Bound extends TransactionCallbacks {
      private final Connection connection;

      Bound(Connection connection) {
        this.connection = connection;
      }

      @Override
      public <T> T unwrap(Class<T> resource) {
        return resource.cast(connection);
      }
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Beans {
    @Bean
    DataSource dataSource() {
      return new DriverManagerDataSource("jdbc:h2:mem:outbox-publish;DB_CLOSE_DELAY=-1");
    }

    @Bean
    DataSourceTransactionManager transactionManager(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource);
    }

    @Bean
    JdbcTemplate jdbc(DataSource dataSource) {
      JdbcTemplate jdbc = new JdbcTemplate(dataSource);
      jdbc.execute("CREATE TABLE orders (id VARCHAR(10) PRIMARY KEY)");
      return jdbc;
    }

    @Bean
    Posthorn posthorn(DataSource dataSource) {
      return Posthorn.publishOnly(
              JdbcMessageStore.on(dataSource), new BoundTransactions(dataSource))
          .start();
    }

    @Bean
    Outbox outbox(Posthorn posthorn) {
      return posthorn.outbox();
    }

    @Bean
    OrderService orders(JdbcTemplate jdbc) {
      return new OrderService(jdbc);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Import({OutboxPublishingConfiguration.class, Beans.class})
  @EnableTransactionManagement(proxyTargetClass = true)
  static class ClassProxies {}

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement
  @Import({Beans.class, OutboxPublishingConfiguration.class})
  static class InterfaceProxies {}

  private AnnotationConfigApplicationContext context;
  private Orders orders;

  private void start(Class<?> configuration) {
    context = new AnnotationConfigApplicationContext(configuration);
    orders = context.getBean(Orders.class);
  }

  @AfterEach
  void close() {
    if (context != null) {
      context.getBean(JdbcTemplate.class).execute("DROP ALL OBJECTS");
      context.close();
    }
  }

  private List<String> stored(String column, String table) {
    return context
        .getBean(JdbcTemplate.class)
        .queryForList("SELECT " + column + " FROM " + table, String.class);
  }

  @ParameterizedTest
  @ValueSource(classes = {ClassProxies.class, InterfaceProxies.class})
  void theMessageIsCommittedWithTheMethodsTransaction(Class<?> configuration) {
    start(configuration);
    orders.place("a");

    assertThat(stored("id", "orders")).containsExactly("a");
    assertThat(stored("message_key", "outbox_message")).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(classes = {ClassProxies.class, InterfaceProxies.class})
  void aMessageThatIsRefusedRollsTheTransactionBack(Class<?> configuration) {
    start(configuration);
    assertThatThrownBy(() -> orders.placeWithoutKey("a"))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("yields null");

    assertThat(stored("id", "orders")).isEmpty();
    assertThat(stored("message_key", "outbox_message")).isEmpty();
  }

  @Test
  void aMethodThatFailsLeavesNoTrace() {
    start(ClassProxies.class);
    assertThatThrownBy(() -> orders.placeAndFail("a")).hasMessage("too late");

    assertThat(stored("id", "orders")).isEmpty();
    assertThat(stored("message_key", "outbox_message")).isEmpty();
  }

  @Test
  void withoutATransactionTheCallerIsTold() {
    start(ClassProxies.class);
    assertThatThrownBy(() -> orders.placeWithoutTransaction("a"))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("no transaction of Spring's");
  }
}

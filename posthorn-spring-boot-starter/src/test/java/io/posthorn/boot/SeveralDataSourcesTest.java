/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Outbox;
import io.posthorn.PublishException;
import io.posthorn.boot.example.twodatabases.TwoDatabases;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class SeveralDataSourcesTest {
  private static ConfigurableApplicationContext run() {
    return Shop.start(
        new String[] {
          "sales.datasource.jdbc-url=jdbc:h2:mem:" + UUID.randomUUID(),
          "billing.datasource.jdbc-url=jdbc:h2:mem:" + UUID.randomUUID(),
          "spring.data.jpa.repositories.enabled=false",
          "spring.autoconfigure.exclude=org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration,org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
        },
        TwoDatabases.class);
  }

  @Test
  void eachOutboxHasItsOwnTransactionsAndHandlers() throws Exception {
    try (ConfigurableApplicationContext context = run()) {
      context.getBean(TwoDatabases.Sales.class).sell("a horn");

      assertThat(context.getBean(TwoDatabases.Mailer.class).sent.poll(20, TimeUnit.SECONDS))
          .isEqualTo("a horn");
    }
  }

  @Test
  void aTransactionOfTheOtherDataSourceIsRefused() {
    try (ConfigurableApplicationContext context = run()) {
      new TransactionTemplate(context.getBean("billing", PlatformTransactionManager.class))
          .executeWithoutResult(
              status ->
                  assertThatThrownBy(
                          () ->
                              context
                                  .getBean("salesOutbox", Outbox.class)
                                  .publish("sold", "a horn"))
                      .isInstanceOf(PublishException.class)
                      .hasMessageContaining("another data source"));
    }
  }
}

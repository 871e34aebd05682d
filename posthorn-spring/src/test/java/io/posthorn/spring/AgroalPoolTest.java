/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.posthorn.ConfigurationException;
import io.posthorn.Posthorn;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The size of Agroal's pool is known. Issue 18, "Must hold" 7. */
class AgroalPoolTest {
  @Test
  void aPoolThatTheRelayWouldUseUpIsRefused() throws Exception {
    try (AgroalDataSource pool =
        AgroalDataSource.from(
            new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(
                    settings ->
                        settings
                            .maxSize(3)
                            .acquisitionTimeout(Duration.ofSeconds(1))
                            .connectionFactoryConfiguration(
                                factory -> factory.jdbcUrl("jdbc:h2:mem:" + UUID.randomUUID()))))) {
      Posthorn.Builder builder =
          Posthorn.inOneProcess(JdbcMessageStore.on(pool), new JdbcTransactions(pool))
              .handler("h", "t", String.class, (text, delivery) -> {});

      assertThatThrownBy(() -> builder.start().close())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining(
              "the relay keeps 3 connections and the application needs at least one more, but the pool has 3");
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Connections outside a pool are opened as the pool would open them. Issue 18, "Must hold" 7. */
class UnpooledDataSourceTest {
  private static final String DRIVER = RecordingDriver.class.getName();
  private static final String CONNECT =
      "connect " + RecordingDriver.URL + " {password=secret, sslmode=require, user=shop}";

  @AfterEach
  void forget() {
    RecordingDriver.NOTED.remove();
  }

  private static List<String> notedBy(DataSource pool) throws Exception {
    UnpooledDataSource unpooled = UnpooledDataSource.of(pool);
    assertThat(unpooled).isNotNull();
    assertThat(unpooled.getConnection()).isNotNull();
    return RecordingDriver.NOTED.get();
  }

  @Test
  void asHikariDoes() throws Exception {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setDriverClassName(DRIVER);
      pool.setJdbcUrl(RecordingDriver.URL);
      pool.setUsername("shop");
      pool.setPassword("secret");
      pool.addDataSourceProperty("sslmode", "require");
      pool.setCatalog("c");
      pool.setSchema("s");
      pool.setConnectionInitSql("SET x = 1");

      assertThat(notedBy(pool))
          .containsExactly(CONNECT, "setCatalog c", "setSchema s", "execute SET x = 1");
    }
  }

  @Test
  void asTomcatsPoolDoes() throws Exception {
    org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource();
    pool.setDriverClassName(DRIVER);
    pool.setUrl(RecordingDriver.URL);
    pool.setUsername("shop");
    pool.setPassword("secret");
    pool.setConnectionProperties("sslmode=require");
    pool.setDefaultCatalog("c");
    pool.setInitSQL("SET x = 1");

    assertThat(notedBy(pool)).containsExactly(CONNECT, "setCatalog c", "execute SET x = 1");
  }

  @Test
  void asTomcatsPoolDoesWithPropertiesOfTheDriver() throws Exception {
    org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource();
    pool.setDriverClassName(DRIVER);
    pool.setUrl(RecordingDriver.URL);
    pool.setUsername("shop");
    pool.setPassword("secret");
    Properties properties = new Properties();
    properties.setProperty("sslmode", "require");
    pool.setDbProperties(properties);

    assertThat(notedBy(pool)).containsExactly(CONNECT);
  }

  @Test
  void asDbcpDoes() throws Exception {
    try (BasicDataSource pool = new BasicDataSource()) {
      pool.setDriverClassName(DRIVER);
      pool.setUrl(RecordingDriver.URL);
      pool.setUsername("shop");
      pool.setPassword("secret");
      pool.addConnectionProperty("sslmode", "require");
      pool.setDefaultCatalog("c");
      pool.setDefaultSchema("s");
      pool.setConnectionInitSqls(List.of("SET x = 1", "SET y = 2"));

      assertThat(notedBy(pool))
          .containsExactly(
              CONNECT, "setCatalog c", "setSchema s", "execute SET x = 1", "execute SET y = 2");
    }
  }

  @Test
  void ofOthersTheDetailsAreNotKnown() {
    assertThat(UnpooledDataSource.of(new DriverManagerDataSource(RecordingDriver.URL))).isNull();
  }
}

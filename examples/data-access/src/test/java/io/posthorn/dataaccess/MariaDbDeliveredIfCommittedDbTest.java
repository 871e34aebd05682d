/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import com.zaxxer.hikari.HikariDataSource;
import org.jooq.SQLDialect;

class MariaDbDeliveredIfCommittedDbTest extends DeliveredIfCommittedContract {
  @Override
  HikariDataSource database() {
    return Products.mariaDb();
  }

  @Override
  SQLDialect jooqDialect() {
    return SQLDialect.MARIADB;
  }
}

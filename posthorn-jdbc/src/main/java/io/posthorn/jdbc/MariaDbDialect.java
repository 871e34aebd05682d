/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc;

/**
 * MariaDB 10.6 and newer, with InnoDB. It has its own script, since its collations have other
 * names.
 *
 * @since 0.1
 */
public class MariaDbDialect extends MySqlDialect {
  @Override
  public String name() {
    return "mariadb";
  }

  @Override
  public boolean speaks(String productName) {
    return productName.equals("MariaDB");
  }
}

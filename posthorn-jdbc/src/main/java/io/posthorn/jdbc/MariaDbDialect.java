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

  /**
   * It notes who is under way one after the other while others commit: of two transactions, the
   * second of which has waited for the first, a query may show only the second. Seen on 11.4.5.
   */
  @Override
  public boolean showsCommitsInOrder() {
    return false;
  }

  @Override
  public boolean speaks(String productName) {
    return productName.equals("MariaDB");
  }
}

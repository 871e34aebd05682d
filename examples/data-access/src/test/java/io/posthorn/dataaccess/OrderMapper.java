/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import org.apache.ibatis.annotations.Insert;

/** The orders' table, for MyBatis. */
interface OrderMapper {
  @Insert("INSERT INTO orders (id) VALUES (#{id})")
  int insert(long id);
}

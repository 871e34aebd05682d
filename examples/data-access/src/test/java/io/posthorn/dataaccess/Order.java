/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** An order, for Hibernate. */
@Entity
@Table(name = "orders")
class Order {
  @Id private long id;

  /** For Hibernate. */
  protected Order() {}

  Order(long id) {
    this.id = id;
  }

  long id() {
    return id;
  }
}

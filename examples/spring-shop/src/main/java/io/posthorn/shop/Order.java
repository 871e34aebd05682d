/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import static java.util.Objects.requireNonNull;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a customer wants. */
@Entity
@Table(name = "orders")
public class Order {
  @Id private @Nullable UUID id;
  private @Nullable String item;
  private @Nullable String email;

  /** For Hibernate. */
  protected Order() {}

  Order(String item, String email) {
    this.id = UUID.randomUUID();
    this.item = item;
    this.email = email;
  }

  UUID id() {
    return requireNonNull(id, "id");
  }

  String item() {
    return requireNonNull(item, "item");
  }

  String email() {
    return requireNonNull(email, "email");
  }

  void correctEmail(String corrected) {
    this.email = corrected;
  }
}

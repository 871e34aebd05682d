/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Where customers order. */
@RestController
@RequestMapping("/orders")
class OrderController {
  private final OrderService service;

  OrderController(OrderService service) {
    this.service = service;
  }

  record NewOrder(@Nullable String item, @Nullable String email) {}

  record Placed(UUID id) {}

  record Email(@Nullable String email) {}

  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  Placed place(@RequestBody NewOrder order) {
    return new Placed(service.place(given("item", order.item), given("email", order.email)));
  }

  @PutMapping("/{id}/email")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void correct(@PathVariable UUID id, @RequestBody Email email) {
    if (!service.correctEmail(id, given("email", email.email))) {
      throw new ResponseStatusException(HttpStatus.NOT_FOUND, "there is no order " + id);
    }
  }

  private static String given(String name, @Nullable String value) {
    if (value == null || value.isBlank()) {
      throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "\"" + name + "\" is missing");
    }
    return value;
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An order is stored and announced in one transaction; a mail follows. Run it with bin/shop. */
@SpringBootApplication(proxyBeanMethods = false)
public class Shop {
  public static void main(String[] arguments) {
    SpringApplication.run(Shop.class, arguments);
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test.example;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application that the example of docs/spring.md tests. */
@SpringBootApplication(proxyBeanMethods = false)
class OrdersApplication {}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring.application;

import io.posthorn.OutboxMessage;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;

/** Scans its own package. */
@Configuration
@ComponentScan
public class Application {
  /** A payload that no bean's method names. */
  @OutboxMessage(type = "own", key = "orderId")
  public record OwnMessage(String orderId) {}
}

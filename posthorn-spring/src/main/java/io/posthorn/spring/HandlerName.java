/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

/**
 * What no two handlers have in common.
 *
 * @param outbox the name of the outbox that the handler belongs to
 */
record HandlerName(String outbox, String handler) {
  static final String DEFAULT_OUTBOX = "outbox";

  /** Of a handler that may leave either out. */
  static HandlerName of(String outbox, String handler, BeanMethod method) {
    return new HandlerName(
        outbox.isEmpty() ? DEFAULT_OUTBOX : outbox,
        handler.isEmpty() ? method.beanName() + "." + method.method().getName() : handler);
  }
}

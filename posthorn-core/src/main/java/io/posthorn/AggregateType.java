/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

/**
 * The name of an aggregate type as a constant, for example of an enum.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface AggregateType {
  /** The name under which it is stored. */
  String aggregateTypeName();
}

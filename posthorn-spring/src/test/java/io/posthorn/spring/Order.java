/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.OutboxMessage;

/** A payload whose class names its type. */
@OutboxMessage(type = "order-placed")
record Order(String id) {}

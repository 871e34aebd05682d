/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring.scanned;

import io.posthorn.OutboxMessage;

/** A payload that no bean's method names. */
@OutboxMessage(type = "scanned", key = "orderId")
public record ScannedMessage(String orderId) {}

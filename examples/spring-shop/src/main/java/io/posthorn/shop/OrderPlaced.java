/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import io.posthorn.OutboxMessage;
import java.util.UUID;

/** What others are told. */
@OutboxMessage(type = "order-placed", key = "orderId")
record OrderPlaced(UUID orderId) {}

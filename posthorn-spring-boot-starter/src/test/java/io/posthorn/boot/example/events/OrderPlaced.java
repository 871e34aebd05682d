/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.events;

import io.posthorn.OutboxMessage;
import java.util.UUID;

/** What others are told. */
// docs:begin
@OutboxMessage(
    type = "order-placed",
    key = "#this.orderId",
    headers = {"region=region", "source='web'"})
record OrderPlaced(UUID orderId, Region region) {}
// docs:end

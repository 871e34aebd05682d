/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test.example;

import io.posthorn.OutboxMessage;

/** What others are told. */
@OutboxMessage(type = "order-placed", key = "id")
record OrderPlaced(String id, String customer) {}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.orders;

import java.util.UUID;

/** What a customer wants. */
record Order(UUID id, String customer) {}

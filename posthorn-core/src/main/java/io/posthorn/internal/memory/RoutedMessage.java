/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoredMessage;
import java.util.List;

/**
 * A ready row and who is to get it.
 *
 * @param message with the type as it is delivered
 * @param takers the handlers of this relay that take it, by their place among all of them
 * @param others what becomes of it for everybody else
 */
@SuppressWarnings("ArrayRecordComponent") // made for one read, never compared
public record RoutedMessage(
    StoredMessage message, int[] takers, List<Settlement.Leftover> others) {}

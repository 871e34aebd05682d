/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.memory;

import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Fate;
import org.jspecify.annotations.Nullable;

/**
 * A deferred row and what is to be done with it.
 *
 * @param message with the type as it is delivered
 * @param instead what becomes of it without a delivery, or null if it is to be delivered
 */
public record RoutedDeferred(DeferredMessage message, @Nullable Fate instead) {}

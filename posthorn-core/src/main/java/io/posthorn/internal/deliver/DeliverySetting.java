/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.deliver;

import io.posthorn.RelayOptions;
import io.posthorn.internal.lease.LeaseClock;
import io.posthorn.internal.policy.Extensions;
import io.posthorn.internal.policy.RetryPolicies;
import io.posthorn.internal.policy.Unreadable;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.Ticker;
import io.posthorn.spi.Transactions;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What deliveries need beside the memory.
 *
 * @param codec null if there is none
 * @param expelled called when a delivery finds that this life of the relay is over
 */
public record DeliverySetting(
    String relay,
    Executor executor,
    LeaseClock lease,
    Clock clock,
    Ticker ticker,
    RelayOptions options,
    Transactions transactions,
    MessageStore store,
    RetryPolicies retries,
    @Nullable PayloadCodec codec,
    Extensions extensions,
    Unreadable unreadable,
    Listeners listeners,
    Consumer<RelayIdentity> expelled,
    FailureLog failures) {}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.check;

import io.posthorn.verification.history.Receiver;
import java.util.Map;
import java.util.Set;

/**
 * What a relay may have had in hand.
 *
 * @param receivers all handlers; each has to get each message that it takes
 * @param consumers behind a broker, each of which has to get each message; none if there is none
 * @param workers of one handler in one relay, at the most
 * @param window messages that may be delivered and not yet stored
 * @param waits the longest wait in milliseconds that each kind of fault may cause
 */
public record Bounds(
    Set<Receiver> receivers,
    Set<String> consumers,
    int workers,
    int window,
    Map<Fault.Kind, Long> waits) {}

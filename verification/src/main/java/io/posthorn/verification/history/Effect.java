/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import java.util.UUID;

/**
 * A row that a transactional handler has written.
 *
 * @param place in the order of writing
 */
public record Effect(long place, String handler, UUID id) {}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.lang.reflect.Method;

/** The root object of expressions in {@link OutboxPublish}. */
@SuppressWarnings("ArrayRecordComponent") // lives for one call, and is never compared
record MethodRoot(Object target, Method method, Object[] args) {}

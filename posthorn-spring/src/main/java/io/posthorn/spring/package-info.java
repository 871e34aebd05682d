/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Publishing and handling messages in applications of the Spring Framework. */
@NullMarked
package io.posthorn.spring;

import org.jspecify.annotations.NullMarked;

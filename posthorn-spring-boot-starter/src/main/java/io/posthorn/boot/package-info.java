/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Posthorn in applications of Spring Boot: one dependency, no configuration. */
@NullMarked
package io.posthorn.boot;

import org.jspecify.annotations.NullMarked;

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The admin API over HTTP, without a framework: {@link io.posthorn.admin.http.AdminHttp} answers
 * requests, and whoever has a server mounts it.
 */
@NullMarked
package io.posthorn.admin.http;

import org.jspecify.annotations.NullMarked;

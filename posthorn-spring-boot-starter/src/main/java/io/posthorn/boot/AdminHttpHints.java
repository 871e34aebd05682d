/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** The files that the admin API and the dashboard serve, for native images. */
final class AdminHttpHints implements RuntimeHintsRegistrar {
  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    hints
        .resources()
        .registerPattern("io/posthorn/admin/http/openapi.yaml")
        .registerPattern("io/posthorn/dashboard/page/**");
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import java.io.IOException;

/**
 * Answers requests below a base path. Safe to share between threads.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface WebHandler {
  /**
   * Answers a request; may block.
   *
   * @throws IOException if the request could not be read
   */
  WebResponse handle(WebRequest request) throws IOException;
}

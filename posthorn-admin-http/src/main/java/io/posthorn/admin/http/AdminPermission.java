/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

/**
 * What somebody may do.
 *
 * @since 0.1
 */
public enum AdminPermission {
  /** See messages with their keys, headers and errors, the fleet, and what operators did. */
  SEE,
  /** See payloads, too. */
  SEE_PAYLOADS,
  /** Change something. */
  ACT
}

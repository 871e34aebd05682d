/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spi;

/**
 * A background duty of a relay, done a pass at a time by one thread at a time.
 *
 * @since 0.1
 */
public interface Duty {
  /**
   * One word: {@code lease}, {@code read}, {@code settle}, {@code wake}, {@code signal}, {@code
   * purge}.
   */
  String name();

  /** Does one pass on the calling thread. */
  StepResult runOnce();
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

/** A kind of work, given to one subject at a time. */
public interface Workload {
  /**
   * Does the work once. The tables may hold what an earlier run left.
   *
   * @param progress told now and then what has been reached
   */
  Outcome run(Stage stage, Effort effort, Progress progress) throws Exception;

  /**
   * Does what can be done in another JVM, so that the one that is measured begins with the work.
   */
  default void prepare(Stage stage, Effort effort, Progress progress) throws Exception {}

  /** Where a long run says how far it is. */
  @FunctionalInterface
  interface Progress {
    void say(String text);
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

/** A state that must stay within reach, without the help of steps that nobody can count on. */
interface Goal<S, A> {

  boolean reachedIn(S state);

  /** Whether the way to the goal may use this step. A frozen process may never wake up. */
  boolean mayCountOn(A action);

  /** Whether the goal must be within reach of this state at all. */
  boolean owedIn(S state);
}

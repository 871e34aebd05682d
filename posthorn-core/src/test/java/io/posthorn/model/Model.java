/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

import java.util.List;

/** A system as an explicit-state checker sees it: where it begins and every step it can take. */
interface Model<S, A> {

  S initial();

  /** Every step possible in this state. */
  List<Step<S, A>> stepsFrom(S state);

  /**
   * What tells states apart. States that differ in names only may have the same fingerprint, if
   * they have the same future but for those names.
   */
  Fingerprint fingerprintOf(S state);

  /** One atomic step: what was done, and the state it leads to. */
  record Step<S, A>(A action, S after) {}
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

/** One source of steps: a thread of the relay, the database, or misfortune. */
interface Duty {

  void addSteps(Turn turn);
}

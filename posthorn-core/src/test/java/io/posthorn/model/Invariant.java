/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.model;

/** Something that must hold for every step that can be reached. */
interface Invariant<S, A> {

  boolean holds(S before, A action, S after);
}

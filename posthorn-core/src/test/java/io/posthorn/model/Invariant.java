package io.posthorn.model;

/** Something that must hold for every step that can be reached. */
interface Invariant<S, A> {

  boolean holds(S before, A action, S after);
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.util.List;

/**
 * The parameter by which a listener tells the broker itself what became of its messages. The
 * listener gets a stand-in: what it says waits until the transaction has ended, and is forgotten if
 * that was rolled back, so that a broker never takes for handled what the inbox does not. One
 * thread only, until the end.
 */
interface ListenerAcknowledgment {
  /** Of a listener that leaves this to its container. */
  ListenerAcknowledgment NONE = new ListenerAcknowledgment() {};

  /** What a listener said of messages that it did not handle. */
  interface Refusal {
    /** The index of the first refused message, in the list that the listener had. */
    int from();

    /**
     * Tells the broker.
     *
     * @param first of the received messages; those before it were handled
     */
    void tell(List<?> received, int first);
  }

  /**
   * Rejects a message that never gets to the listener, which so can't settle it. Where the
   * container does that, when it gets an exception, nothing is done.
   *
   * @return whether the broker was told. Then no exception may follow: an interceptor of the
   *     container would try again, and a transaction of the channel would be rolled back
   */
  default boolean reject(Object message) {
    return false;
  }

  /** The arguments, with the stand-in. */
  default Object[] in(Object[] arguments) {
    return arguments;
  }

  /** Whether the listener said that messages were not handled. */
  default boolean isRefused() {
    return false;
  }

  /** What was refused; all that was said is forgotten. */
  default Refusal refusal() {
    throw new IllegalStateException("nothing was refused");
  }

  /** Forgets what was said: the transaction was rolled back. */
  default void forget() {}

  /**
   * Tells the broker, after the transaction has been committed. Messages that were passed over are
   * acknowledged.
   *
   * @param handed those that the listener had; none if it was not called
   */
  default void tell(List<?> received, List<?> handed) {}
}

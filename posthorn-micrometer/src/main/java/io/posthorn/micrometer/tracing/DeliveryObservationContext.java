/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer.tracing;

import static java.util.Objects.requireNonNull;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.posthorn.Delivery;
import java.util.Locale;
import java.util.Map;

/**
 * What is known of an observed delivery. The headers of its message are the carrier, in which the
 * trace of the publisher is found.
 *
 * @since 0.1
 */
public final class DeliveryObservationContext extends ReceiverContext<Map<String, String>> {
  private final Delivery delivery;
  private Outcome outcome = Outcome.UNKNOWN;

  /** How the call of the handler ended. */
  public enum Outcome {
    /** It has not ended yet. */
    UNKNOWN,
    /** The handler returned, whatever it decided. */
    SUCCESS,
    /** The handler threw, or marked this message of a batch as failed. */
    ERROR;

    /** As it is written in tags: in lower case. */
    public String tag() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public DeliveryObservationContext(Delivery delivery) {
    super(Map::get, Kind.CONSUMER);
    this.delivery = requireNonNull(delivery, "delivery");
    setCarrier(delivery.headers());
  }

  public Delivery delivery() {
    return delivery;
  }

  public Outcome outcome() {
    return outcome;
  }

  void ended(Outcome outcome) {
    this.outcome = outcome;
  }
}

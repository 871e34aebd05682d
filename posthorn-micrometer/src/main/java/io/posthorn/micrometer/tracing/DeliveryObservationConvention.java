/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer.tracing;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names observed deliveries and says what is noted about them. Replace it by giving another one to
 * {@link ObservationInterceptor}, most simply a subclass of {@link
 * DefaultDeliveryObservationConvention}. Safe to share between threads.
 *
 * @since 0.1
 */
public interface DeliveryObservationConvention
    extends ObservationConvention<DeliveryObservationContext> {
  @Override
  default boolean supportsContext(Observation.Context context) {
    return context instanceof DeliveryObservationContext;
  }
}

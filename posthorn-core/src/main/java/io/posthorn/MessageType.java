/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * A message type as a constant: its stable logical name, and what else goes with it. An enum can
 * implement it:
 *
 * <pre>{@code
 * enum OrderTypes implements MessageType<Object> {
 *   PLACED("order-placed"), SHIPPED("order-shipped");
 *   ...
 *   public String typeName() { return typeName; }
 * }
 * }</pre>
 *
 * @param <P> the class of the payload
 * @since 0.1
 */
public interface MessageType<P> {
  /** The name under which messages are stored; never a Java class name, since classes move. */
  String typeName();

  /** The class of the payload, or null if it is not fixed. */
  default @Nullable Class<P> payloadClass() {
    return null;
  }

  /** The kind of aggregate that messages of this type tell about, or null. */
  default @Nullable AggregateType aggregateType() {
    return null;
  }

  /** A type with a name and a payload class. */
  static <P> MessageType<P> of(String typeName, Class<P> payloadClass) {
    requireNonNull(typeName, "typeName");
    requireNonNull(payloadClass, "payloadClass");
    return new MessageType<>() {
      @Override
      public String typeName() {
        return typeName;
      }

      @Override
      public Class<P> payloadClass() {
        return payloadClass;
      }

      @Override
      public String toString() {
        return typeName;
      }
    };
  }
}

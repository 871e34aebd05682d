/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.test.feature.Scene;
import io.posthorn.test.feature.SteppedRelay;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NamedClassTest {
  private static final String TRAP = NamedClassTest.class.getName() + "$Trap";
  private static final String SIGN = "posthorn.test.trap";

  /** Tells when it is initialised. */
  static final class Trap {
    static {
      System.setProperty(SIGN, "sprung");
    }
  }

  record Order(String id) {}

  @Test
  void aClassNamedInARowIsNeverLoaded() {
    List<Class<?>> asked = new ArrayList<>();
    List<String> got = new ArrayList<>();
    try (Scene scene = new Scene(1)) {
      SteppedRelay relay =
          scene.relay(
              "a",
              builder ->
                  builder
                      .codec(new AskedCodec(asked))
                      .handler(
                          HandlerSpec.of(
                              "mailer",
                              TRAP,
                              Order.class,
                              (order, delivery) -> got.add(delivery.type())))
                      .handler(
                          HandlerSpec.generic(
                              "audit", any -> true, (bytes, delivery) -> got.add("audit"))));
      relay.publish(
          Message.of(TRAP)
              .key("k")
              .aggregateType(TRAP)
              .tenant(TRAP)
              .header("class", TRAP)
              .header("__TypeId__", TRAP)
              .contentType("application/x-java-serialized-object; class=" + TRAP)
              .payload("{\"@class\":\"" + TRAP + "\"}")
              .build());
      relay.drain();
    }

    assertThat(got).containsExactly(TRAP, "audit");
    assertThat(asked).as("only what the handler declares").containsExactly(Order.class);
    assertThat(System.getProperty(SIGN)).isNull();
  }

  @Test
  void theTrapWorks() throws Exception {
    try {
      Class.forName(TRAP + "2");
      assertThat(System.getProperty(SIGN + "2")).isEqualTo("sprung");
    } finally {
      System.clearProperty(SIGN + "2");
    }
  }

  /** The same, to show that loading would be seen. */
  static final class Trap2 {
    static {
      System.setProperty(SIGN + "2", "sprung");
    }
  }

  private record AskedCodec(List<Class<?>> asked) implements PayloadCodec {
    @Override
    public String contentType() {
      return "application/json";
    }

    @Override
    public byte[] encode(Object payload) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <T> T decode(byte[] payload, Class<T> type) {
      asked.add(type);
      return type.cast(new Order("1"));
    }
  }
}

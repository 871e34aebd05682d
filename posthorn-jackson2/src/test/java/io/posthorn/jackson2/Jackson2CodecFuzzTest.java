/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jackson2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.PosthornException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Payloads that something else than this codec has written. */
class Jackson2CodecFuzzTest {
  private final Jackson2Codec codec = new Jackson2Codec();

  record Order(String id, long cents, Instant placedAt, List<Map<String, Object>> lines) {}

  @Property
  void anyBytesAreAnObjectOrRefusedWithoutQuotingThem(@ForAll byte[] payload) {
    objectOrRefusal(payload);
  }

  @Property
  void anyJsonIsAnObjectOrRefusedWithoutQuotingIt(@ForAll("json") String json) {
    objectOrRefusal(json.getBytes(StandardCharsets.UTF_8));
  }

  @Provide
  Arbitrary<String> json() {
    List<String> pieces =
        List.of(
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\"id\":",
            "\"cents\":",
            "\"placedAt\":",
            "\"lines\":",
            "1e999999",
            "-0",
            "null",
            "true",
            "\"2026-01-01T00:00:00Z\"",
            "\\u00",
            "9999999999999999999");
    return Arbitraries.of(pieces).list().ofMaxSize(20).map(some -> String.join("", some));
  }

  @Example
  void deepNestingIsRefused() {
    String deep = "[".repeat(1_000_000);

    assertThatThrownBy(
            () ->
                codec.decode(("{\"lines\":" + deep).getBytes(StandardCharsets.UTF_8), Order.class))
        .isInstanceOf(PosthornException.class);
    assertThatThrownBy(() -> codec.decode(deep.getBytes(StandardCharsets.UTF_8), Object.class))
        .isInstanceOf(PosthornException.class);
  }

  private void objectOrRefusal(byte[] payload) {
    try {
      codec.decode(payload, Order.class);
    } catch (PosthornException e) {
      assertThat(e).hasMessageStartingWith("the JSON does not fit").message().hasSizeLessThan(200);
    }
  }
}

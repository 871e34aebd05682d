/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.PosthornException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Brokers' headers have whatever type and content their sender chose. */
class IdHeadersFuzzTest {

  @Property
  void anyHeaderIsAnIdOrRefused(@ForAll("names") String name, @ForAll("values") Object value) {
    try {
      Optional<String> id = IdHeaders.find(Collections.singletonMap(name, value));
      if (value instanceof byte[] bytes && bytes.length > 0) {
        assertThat(id.orElseThrow().getBytes(StandardCharsets.UTF_8)).isEqualTo(bytes);
      } else {
        assertThat(id.orElse("")).isNotNull();
      }
    } catch (PosthornException e) {
      assertThat(e).hasMessageContaining("not text in UTF-8").message().hasSizeLessThan(200);
    }
  }

  @Provide
  Arbitrary<String> names() {
    return Arbitraries.of(IdHeaders.NAMES);
  }

  @Provide
  Arbitrary<Object> values() {
    return Arbitraries.oneOf(
            Arbitraries.bytes().array(byte[].class).ofMaxSize(300).map(bytes -> (Object) bytes),
            Arbitraries.strings().map(text -> (Object) text),
            Arbitraries.longs().map(number -> (Object) number),
            Arbitraries.strings().list().ofMaxSize(3).map(list -> (Object) list))
        .injectNull(0.05);
  }
}

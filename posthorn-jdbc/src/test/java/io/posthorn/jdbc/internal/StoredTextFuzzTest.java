/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** Texts in rows, which other versions, other programs and people may have written. */
class StoredTextFuzzTest {

  @Property
  void headersComeBackAsTheyWereWritten(@ForAll @Size(max = 5) Map<String, String> headers) {
    assertThat(HeadersText.parse(HeadersText.of(headers))).isEqualTo(headers);
  }

  @Property
  void anyTextIsHeadersOrRefused(@ForAll("json") String json) {
    try {
      assertThat(HeadersText.parse(json)).isNotNull();
    } catch (IllegalArgumentException e) {
      assertThat(e).message().hasSizeLessThan(100);
    }
  }

  @Property
  void noHeadersStopTheRowsBehind(@ForAll("json") String json) {
    Map<String, String> read = HeadersText.read(json);
    int characters =
        read.entrySet().stream().mapToInt(e -> e.getKey().length() + e.getValue().length()).sum();

    assertThat(characters).isLessThan(json.length() + 200);
  }

  @Provide
  Arbitrary<String> json() {
    List<String> pieces =
        List.of(
            "{", "}", "\"", ":", ",", "\\", "\\u", "\\u00e4", "00", " ", "\n", "a", "[", "null");
    return Arbitraries.oneOf(
        Arbitraries.strings(),
        Arbitraries.of(pieces).list().ofMaxSize(40).map(some -> String.join("", some)));
  }

  @Property
  void handlersComeBackAsTheyWereWritten(@ForAll("handlers") Map<String, Set<String>> handlers) {
    assertThat(HandlersText.parse(HandlersText.of(handlers))).isEqualTo(handlers);
  }

  /** Names as the configuration admits them. */
  @Provide
  Arbitrary<Map<String, Set<String>>> handlers() {
    Arbitrary<String> names =
        Arbitraries.strings()
            .ofMinLength(1)
            .ofMaxLength(20)
            .filter(name -> name.codePoints().noneMatch(Character::isISOControl));
    return Arbitraries.maps(names, names.set().ofMaxSize(4)).ofMaxSize(4);
  }

  @Property
  void anyTextIsHandlers(@ForAll("lines") String text) {
    Map<String, Set<String>> handlers = HandlersText.parse(text);

    assertThat(handlers.keySet()).doesNotContain("");
    assertThat(handlers.values()).allSatisfy(types -> assertThat(types).doesNotContain(""));
  }

  @Provide
  Arbitrary<String> lines() {
    return Arbitraries.oneOf(
        Arbitraries.strings(), Arbitraries.strings().withChars('\t', '\n', '\r', 'a', ' '));
  }
}

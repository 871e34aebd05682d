/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadersTextTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "plain",
        "\"quoted\"",
        "back\\slash",
        "\\\"",
        "{}",
        "a,b:c",
        "\n\r\t\b\f",
        "\u0001\u001f\u007f",
        "ä€",
        "😀",
        "\u2028",
        "\\u0041",
        "'"
      })
  void everyTextComesBackAsItWas(String text) {
    Map<String, String> headers = Map.of("name", text, "other-" + text, "value");

    assertThat(HeadersText.parse(HeadersText.of(headers))).isEqualTo(headers);
  }

  @Test
  void headersAreAJsonObjectInTheOrderOfTheirNames() {
    assertThat(HeadersText.of(new TreeMap<>(Map.of("b", "2", "a", "say \"hi\"\n"))))
        .isEqualTo("{\"a\":\"say \\\"hi\\\"\\u000a\",\"b\":\"2\"}");
  }

  @Test
  void noHeadersAreNull() {
    assertThat(HeadersText.of(Map.of())).isNull();
    assertThat(HeadersText.parse(null)).isEmpty();
  }

  @Test
  void jsonOfOthersIsReadToo() {
    assertThat(
            HeadersText.parse(
                " { \"a\" : \"\\n\\t\\r\\b\\f\\/\\u00e4\\ud83d\\ude00\" ,\n\t\"b\":\"\" } \n"))
        .isEqualTo(Map.of("a", "\n\t\r\b\f/ä😀", "b", ""));
    assertThat(HeadersText.parse(" { } ")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "[]",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1}",
        "{\"a\":null}",
        "{\"a\":{}}",
        "{\"a\":\"b\"",
        "{\"a\":\"b}",
        "{\"a\":\"b\",}",
        "{\"a\":\"b\"} x",
        "{'a':'b'}",
        "{\"a\":\"\\",
        "{\"a\":\"\\u00",
        "{\"a\":\"\\u00zz\"}",
        "{\"a\":\"\\u+123\"}",
        "{\"secret\":secret}"
      })
  void whatIsNoJsonObjectOfStringsIsRefusedByPlaceAndNotQuoted(String json) {
    assertThatThrownBy(() -> HeadersText.parse(json))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("headers are not a JSON object of strings, at character \\d+");
  }
}

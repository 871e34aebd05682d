/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ConfigurationException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FieldMaskTest {
  private static String masked(String json, String... names) throws IOException {
    return new String(new FieldMask(List.of(names)).masked(json.getBytes(UTF_8)), UTF_8);
  }

  private static String restored(String edited, String original, String... names)
      throws IOException {
    return new String(
        new FieldMask(List.of(names)).restored(edited.getBytes(UTF_8), original.getBytes(UTF_8)),
        UTF_8);
  }

  @Test
  void aNameIsMaskedAtAnyDepthInAnySpelling() throws IOException {
    assertThat(
            masked("{\"a\":[{\"CardNumber\":{\"x\":1}}],\"card_number\":7,\"b\":1}", "card-number"))
        .isEqualTo("{\"a\":[{\"CardNumber\":\"[masked]\"}],\"card_number\":\"[masked]\",\"b\":1}");
  }

  @Test
  void aPathIsMaskedFromTheRootOnly() throws IOException {
    assertThat(masked("{\"c\":[{\"e\":1}],\"e\":2,\"x\":{\"c\":{\"e\":3}}}", "$.c.e"))
        .isEqualTo("{\"c\":[{\"e\":\"[masked]\"}],\"e\":2,\"x\":{\"c\":{\"e\":3}}}");
    assertThat(masked("{\"e\":1,\"x\":{\"e\":2}}", "$.e"))
        .isEqualTo("{\"e\":\"[masked]\",\"x\":{\"e\":2}}");
  }

  @Test
  void nothingElseChanges() throws IOException {
    String json = "{ \"big\" : 12345678901234567890.10, \"e\": 1e400 }";
    assertThat(masked(json, "other")).isEqualTo(json);
    assertThat(masked("{\"p\":1,\"big\":12345678901234567890.10,\"e\":1e400}", "p"))
        .isEqualTo("{\"p\":\"[masked]\",\"big\":12345678901234567890.10,\"e\":1e400}");
  }

  @Test
  void whatIsNotJsonCannotBeMasked() {
    for (String broken : List.of("", "{", "{\"a\":1} {", "password=1", "{\"a\":1,\"a\":2}")) {
      assertThatThrownBy(() -> masked(broken, "a")).as(broken).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aMaskThatComesBackKeepsWhatItStandsFor() throws IOException {
    String original = "{\"items\":[{\"p\":\"s1\"},{\"p\":{\"deep\":2}}],\"n\":1}";

    assertThat(
            restored("{\"items\":[{\"p\":\"new\"},{\"p\":\"[masked]\"}],\"n\":2}", original, "p"))
        .isEqualTo("{\"items\":[{\"p\":\"new\"},{\"p\":{\"deep\":2}}],\"n\":2}");
    assertThatThrownBy(() -> restored("{\"p\":\"[masked]\"}", original, "p"))
        .isInstanceOf(RequestProblem.class)
        .hasMessageContaining("\"p\"");
  }

  @Test
  void headersAreMaskedByName() {
    FieldMask mask = new FieldMask(List.of("Authorization"));
    Map<String, String> original = Map.of("authorization", "Bearer x", "a", "b");

    assertThat(mask.headers(original)).containsEntry("authorization", "[masked]");
    assertThat(mask.restoredHeaders(Map.of("authorization", "[masked]", "a", "c"), original))
        .isEqualTo(Map.of("authorization", "Bearer x", "a", "c"));
  }

  @Test
  void aNameThatMasksNothingIsRefused() {
    for (String wrong : List.of("", "$", "a..b", "a[0]", "*")) {
      assertThatThrownBy(() -> new FieldMask(List.of(wrong)))
          .as(wrong)
          .isInstanceOf(ConfigurationException.class);
    }
  }
}

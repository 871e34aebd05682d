/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Delivery;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.StoredMessage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class TemplateFuzzTest {

  private static Delivery delivery(String type, Map<String, String> headers) {
    Envelope envelope =
        new Envelope(
            new UUID(1, 2),
            type,
            null,
            null,
            null,
            headers,
            "text/plain",
            null,
            Instant.EPOCH,
            null);
    return new Delivery(
        new StoredMessage(0, 1, envelope, Instant.EPOCH, null), "mailer", 1, null, 5);
  }

  @Property
  void valuesOfAMessageAreNotTakenForTemplates(
      @ForAll("pieces") String type, @ForAll("pieces") String header) {
    Delivery delivery = delivery(type, Map.of("h", header));

    assertThat(Template.of("{type}/{header.h}!").fill(delivery))
        .hasValue(type + "/" + header + "!");
  }

  @Property
  void anyTextIsATemplateOrRefused(@ForAll("texts") String text) {
    try {
      Template template = Template.of(text);
      assertThat(template).hasToString(text);
      template
          .fill(delivery("t", Map.of()))
          .ifPresent(filled -> assertThat(filled).hasSizeLessThan(40 * (text.length() + 1)));
    } catch (IllegalArgumentException e) {
      assertThat(text).contains("{");
    }
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.oneOf(Arbitraries.strings(), pieces());
  }

  @Provide
  Arbitrary<String> pieces() {
    List<String> all =
        List.of(
            "{", "}", "{}", "{id}", "{key}", "{tenant}", "{header.", "{header.x}", "{{", "a", "$1");
    return Arbitraries.of(all).list().ofMaxSize(10).map(some -> String.join("", some));
  }
}

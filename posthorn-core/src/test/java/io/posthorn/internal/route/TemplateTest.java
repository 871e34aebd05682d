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
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateTest {
  private static final Delivery OF_A_HOSTILE_TENANT =
      new Delivery(
          new StoredMessage(
              0,
              1,
              new Envelope(
                  new UUID(1, 2),
                  "t",
                  null,
                  null,
                  "../b?x=1#y",
                  Map.of(),
                  "text/plain",
                  null,
                  Instant.EPOCH,
                  null),
              Instant.EPOCH,
              null),
          "mailer",
          1,
          null,
          5);

  @ParameterizedTest
  @ValueSource(strings = {"https://h/", "http://h/", "HTTPS://h/", "Http://h/"})
  void valuesInAUrlArePercentEncodedInWhicheverCaseItsSchemeIs(String url) {
    assertThat(Template.of(url + "{tenant}").fill(OF_A_HOSTILE_TENANT))
        .hasValue(url + "..%2Fb%3Fx%3D1%23y");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "orders-", "https-", "see https://h/"})
  void valuesInOtherTextAreNot(String text) {
    assertThat(Template.of(text + "{tenant}").fill(OF_A_HOSTILE_TENANT))
        .hasValue(text + "../b?x=1#y");
  }
}

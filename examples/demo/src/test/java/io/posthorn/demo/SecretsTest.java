/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SecretsTest {

  @Test
  void urlAndPasswordAreTakenOutOfTexts() {
    String url = "jdbc:postgresql://db/shop?user=me&password=s%21cret";
    Secrets secrets = new Secrets(url);

    assertThat(secrets.takenOutOf("no driver for " + url)).isEqualTo("no driver for (hidden)");
    assertThat(secrets.takenOutOf("s%21cret and s!cret")).isEqualTo("(hidden) and (hidden)");
  }

  @Test
  void textsStayAsTheyAreWithoutAUrl() {
    assertThat(new Secrets(null).takenOutOf("as it was")).isEqualTo("as it was");
  }

  @Test
  void settingsDoNotTellTheUrl() {
    Settings settings =
        new Settings(
            Settings.DEFAULT_DURATION, 1, Product.POSTGRESQL, "jdbc:postgresql:secret", null);

    assertThat(settings.toString()).doesNotContain("secret");
  }
}

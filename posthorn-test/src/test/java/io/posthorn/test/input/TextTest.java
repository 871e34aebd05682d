/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextTest {
  private static final String LONGEST = "x".repeat(255);
  private static final String TOO_LONG = "x".repeat(256);
  private static final String TOO_LONG_SAID =
      "Message of type \"t\" not published: its %s has 256 characters, the limit is 255; shorten it, or use a hash of it";

  private final Publishing publishing = new Publishing(builder -> {});

  private static Message.Builder message() {
    return Message.of("t");
  }

  @Test
  void textsAtTheLimitAreAccepted() {
    publishing.accept(
        Message.of(LONGEST)
            .key(LONGEST)
            .tenant(LONGEST)
            .aggregateType(LONGEST)
            .contentType(LONGEST)
            .header(LONGEST, LONGEST)
            .build());

    assertThat(publishing.rows().ready()).hasSize(1);
  }

  @Test
  void oneCharacterMoreIsRefusedByNameWithTheLimitAndTheFix() {
    assertThat(publishing.refusal(message().key(TOO_LONG).build()))
        .isEqualTo(TOO_LONG_SAID.formatted("key"));
    assertThat(publishing.refusal(message().tenant(TOO_LONG).build()))
        .isEqualTo(TOO_LONG_SAID.formatted("tenant"));
    assertThat(publishing.refusal(message().aggregateType(TOO_LONG).build()))
        .isEqualTo(TOO_LONG_SAID.formatted("aggregate type"));
    assertThat(publishing.refusal(message().contentType(TOO_LONG).build()))
        .isEqualTo(TOO_LONG_SAID.formatted("content type"));
    assertThat(publishing.refusal(message().header(TOO_LONG, "v").build()))
        .isEqualTo(TOO_LONG_SAID.formatted("header name"));
  }

  @Test
  void anOverLongTypeIsRefusedAndShownInShort() {
    assertThat(publishing.refusal(Message.of(TOO_LONG).build()))
        .isEqualTo(
            "Message of type \""
                + "x".repeat(40)
                + "…\" not published: its type has 256 characters, the limit is 255; shorten it, or use a hash of it");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t\n"})
  void aBlankTypeIsRefusedWithAnExample(String blank) {
    assertThat(publishing.refusal(Message.of(blank).build()))
        .contains("its type is blank; give it a stable logical name such as \"order-placed\"");
  }

  @Test
  void aBlankHeaderNameIsRefused() {
    assertThat(publishing.refusal(message().header(" ", "v").build()))
        .contains("a header name is blank; give it a name");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\0b", "a\uD800b", "\uDC00", "x\uD83D"})
  void charactersThatNotEveryDatabaseCanStoreAreRefused(String bad) {
    String said = " has a NUL character or half a surrogate pair; remove it";

    assertThat(publishing.refusal(message().key(bad).build())).contains("its key" + said);
    assertThat(publishing.refusal(message().tenant(bad).build())).contains("its tenant" + said);
    assertThat(publishing.refusal(message().aggregateType(bad).build()))
        .contains("its aggregate type" + said);
    assertThat(publishing.refusal(message().header(bad, "v").build()))
        .contains("its header name" + said);
    assertThat(publishing.refusal(message().header("h", bad).build()))
        .contains("its header \"h\"" + said);
    assertThat(publishing.refusal(Message.of(bad).build())).contains("its type" + said);
  }

  @Test
  void otherCharactersAreAccepted() {
    publishing.accept(message().key("ä😀\n\"'\\").header("ü\t", "😀\r\u0001").build());

    assertThat(publishing.rows().ready())
        .extracting(row -> row.key())
        .containsExactly("ä😀\n\"'\\");
  }

  @Test
  void headersHaveALimitTogether() {
    Message.Builder most = message();
    for (int i = 0; i < 32; i++) {
      most.header("name-" + (10 + i), "v".repeat(993)); // 1,000 characters each
    }

    publishing.accept(most.build());
    assertThat(publishing.rows().ready()).hasSize(1);

    Publishing again = new Publishing(builder -> {});
    assertThat(again.refusal(most.header("x", "").build()))
        .isEqualTo(
            "Message of type \"t\" not published: its headers have 32001 characters, the limit is 32000; put large data into the payload");
  }

  @Test
  void timesThatNotEveryDatabaseCanStoreAreRefused() {
    assertThat(publishing.refusal(message().occurredAt(Instant.MAX).build()))
        .contains("its occurred-at is not between the years 1 and 9999; correct it");
    assertThat(publishing.refusal(message().expiresAt(Instant.MIN).build()))
        .contains("its expiry is not between the years 1 and 9999; correct it");
  }
}

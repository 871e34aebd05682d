/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import org.junit.jupiter.api.Test;

class IdempotencyKeyTextTest {
  private final Publishing publishing = new Publishing(builder -> {});

  private static Message withKey(String idempotencyKey) {
    return Message.of("t").idempotencyKey(idempotencyKey).build();
  }

  @Test
  void aKeyHas1To255Characters() {
    assertThat(publishing.refusal(withKey("")))
        .isEqualTo(
            "Message of type \"t\" not published: its idempotency key is empty; give it one, or leave it out");
    assertThat(publishing.refusal(withKey("k".repeat(256))))
        .contains("its idempotency key has 256 characters, the limit is 255");
    publishing.accept(withKey("k"), withKey("k".repeat(255)));
    assertThat(publishing.rows().ready()).hasSize(2);
  }

  @Test
  void aKeyThatNotEveryDatabaseCanStoreIsRefused() {
    assertThat(publishing.refusal(withKey("a\0b")))
        .contains("its idempotency key has a NUL character");
    assertThat(publishing.refusal(withKey("\ud800"))).contains("half a surrogate pair");
  }

  @Test
  void theHeaderOfTheKeyIsNotSetByHand() {
    assertThat(
            publishing.refusal(
                Message.of("t").header(Message.IDEMPOTENCY_KEY_HEADER, "by hand").build()))
        .isEqualTo(
            "Message of type \"t\" not published: it has a header \"posthorn-idempotency-key\"; set it by idempotencyKey(…), so that it counts");
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.boot.test.Bakery.Cake;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.annotation.Transactional;

@SpringBootTest(classes = Bakery.class)
@OutboxTest
class EachTestBeginsEmptyTest {
  @Autowired private OutboxTester outbox;
  @Autowired private Bakery.Counter counter;

  @Nested
  @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
  class ByDefault {
    @Test
    @Order(1)
    void oneLeavesAMessage() {
      counter.order(new Cake("c-1", 7));

      assertThat(outbox.admin().survey(10).ready()).hasSize(1);
    }

    @Test
    @Order(2)
    @Transactional
    void theNextOneDoesNotFindIt() {
      assertThat(outbox.admin().survey(10).ready()).isEmpty();
      assertThat(outbox.published()).isEmpty();
    }
  }

  @Nested
  @OutboxTest(clear = false)
  @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
  class UnlessItWantsTo {
    @Test
    @Order(1)
    void oneLeavesAMessage() {
      outbox.clear();
      counter.order(new Cake("c-1", 7));
    }

    @Test
    @Order(2)
    void theNextOneFindsIt() {
      assertThat(outbox.published()).hasSize(1);
      outbox.drain();
    }
  }
}

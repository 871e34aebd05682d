/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.Posthorn;
import io.posthorn.boot.PosthornFactory;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.spring.SpringTransactions;
import io.posthorn.test.StepRunner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest(
    classes = SeveralOutboxesTest.TwoHouses.class,
    properties = "spring.data.jpa.repositories.enabled=false")
@OutboxTest
class SeveralOutboxesTest {
  @Autowired private OutboxTester outboxes;
  @Autowired private Clerk clerk;
  @Autowired private PosthornFactory factory;

  @Autowired
  @Qualifier("north")
  private Posthorn north;

  @Autowired
  @Qualifier("south")
  private Posthorn south;

  @Autowired
  @Qualifier("northManager")
  private PlatformTransactionManager northManager;

  @Autowired
  @Qualifier("southManager")
  private PlatformTransactionManager southManager;

  @Autowired
  @Qualifier("northData")
  private DataSource northData;

  static class Clerk {
    final List<String> read = new ArrayList<>();

    void read(String letter) {
      read.add(letter);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class TwoHouses {
    @Bean
    Clerk clerk() {
      return new Clerk();
    }

    @Bean
    DataSource northData() {
      return JdbcConnectionPool.create("jdbc:h2:mem:tester-north;DB_CLOSE_DELAY=-1", "sa", "");
    }

    @Bean
    DataSource southData() {
      return JdbcConnectionPool.create("jdbc:h2:mem:tester-south;DB_CLOSE_DELAY=-1", "sa", "");
    }

    @Bean
    PlatformTransactionManager northManager(@Qualifier("northData") DataSource data) {
      return new DataSourceTransactionManager(data);
    }

    @Bean
    PlatformTransactionManager southManager(@Qualifier("southData") DataSource data) {
      return new DataSourceTransactionManager(data);
    }

    @Bean
    Posthorn north(
        PosthornFactory factory,
        Clerk clerk,
        @Qualifier("northData") DataSource data,
        @Qualifier("northManager") PlatformTransactionManager manager) {
      return factory.create(
          "north",
          JdbcMessageStore.on(data),
          SpringTransactions.on(data, manager),
          builder -> handledBy(clerk, builder));
    }

    @Bean
    Posthorn south(
        PosthornFactory factory,
        Clerk clerk,
        @Qualifier("southData") DataSource data,
        @Qualifier("southManager") PlatformTransactionManager manager) {
      return factory.create(
          "south",
          JdbcMessageStore.on(data),
          SpringTransactions.on(data, manager),
          builder -> handledBy(clerk, builder));
    }
  }

  private static void handledBy(Clerk clerk, Posthorn.Builder builder) {
    builder.handler("clerk", "letter", String.class, (letter, delivery) -> clerk.read(letter));
  }

  private static void publish(PlatformTransactionManager manager, Outbox outbox, String letter) {
    new TransactionTemplate(manager)
        .executeWithoutResult(status -> outbox.publish("letter", "\"" + letter + "\""));
  }

  @Test
  void eachIsChosenByItsName() {
    clerk.read.clear();
    publish(northManager, north.outbox(), "to the north");
    publish(southManager, south.outbox(), "to the south");

    outboxes.named("south").drain();
    assertThat(clerk.read).containsExactly("\"to the south\"");
    assertThat(outboxes.named("north").published("letter", String.class))
        .containsExactly("\"to the north\"");
    assertThat(outboxes.named("north").delivered()).isEmpty();

    outboxes.named("north").drain();
    assertThat(clerk.read).hasSize(2);
  }

  @Test
  void withoutANameNoneIsChosen() {
    assertThatThrownBy(outboxes::drain)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("[north, south]");
  }

  @Test
  void whatAnotherInstanceKeepsIsSaid() {
    StepRunner steps = new StepRunner();
    try (Posthorn other =
        Posthorn.inOneProcess(
                factory.made().get("north").store(), SpringTransactions.on(northData, northManager))
            .dutyRunner(steps)
            .handler("clerk", "letter", String.class, (letter, delivery) -> {})
            .start()) {
      outboxes.named("north").drain();
      steps.drain(); // joins
      outboxes.named("north").drain(); // gives half of the partitions
      assertThat(other.relay().awaitIdle(Duration.ofSeconds(20))).isTrue(); // takes them
      assertThat(other.relay().status().epochs()).hasSize(32);
      for (int i = 0; i < 64; i++) {
        String key = "key-" + i;
        new TransactionTemplate(northManager)
            .executeWithoutResult(
                status ->
                    north.outbox().publish(Message.of("letter").key(key).payload("\"?\"").build()));
      }

      assertThatThrownBy(() -> outboxes.named("north").drain())
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("2 instances share these tables");
    }
  }
}

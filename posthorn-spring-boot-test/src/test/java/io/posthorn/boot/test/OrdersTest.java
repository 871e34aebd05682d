/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import io.posthorn.spring.OutboxHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;

/** The example of the documents. */
// docs:begin
@SpringBootTest(properties = "posthorn.retry.delay=1m")
@OutboxTest
class OrdersTest {
  @Autowired Orders orders;
  @Autowired MailServer mailServer;
  @Autowired OutboxTester outbox;

  @Test
  void anOrderIsAnnouncedAndMailed() {
    orders.place("o-1", "ada");

    assertThat(outbox.published("order-placed", OrderPlaced.class))
        .containsExactly(new OrderPlaced("o-1", "ada"));
    assertThat(mailServer.sent).isEmpty();

    outbox.drain();

    assertThat(mailServer.sent).containsExactly("ada");
  }

  @Test
  void aMailFollowsLaterIfTheServerFails() {
    mailServer.fails = true;
    orders.place("o-2", "bob");

    assertThat(outbox.attempt()).hasSize(1);
    assertThat(outbox.deferred()).hasSize(1);

    mailServer.fails = false;
    outbox.advance(Duration.ofMinutes(1));
    outbox.drain();

    assertThat(mailServer.sent).containsExactly("bob");
  }

  // docs:end

  @BeforeEach
  void noMails() {
    mailServer.fails = false;
    mailServer.sent.clear();
  }

  @Test
  void theDocumentsShowThis() throws IOException {
    Path root = Path.of("").toAbsolutePath().getParent();
    String source =
        Files.readString(
            root.resolve(
                "posthorn-spring-boot-test/src/test/java/io/posthorn/boot/test/OrdersTest.java"));
    String shown =
        source.substring(
            source.indexOf("// docs:begin\n") + "// docs:begin\n".length(),
            source.indexOf("\n  // docs:end"));
    StringBuilder documents = new StringBuilder();
    try (Stream<Path> files = Files.list(root.resolve("docs"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".md")).toList()) {
        documents.append(Files.readString(file));
      }
    }

    assertThat(documents).contains(shown.strip());
  }

  @OutboxMessage(type = "order-placed", key = "id")
  record OrderPlaced(String id, String customer) {}

  static class Orders {
    private final Outbox outbox;

    Orders(Outbox outbox) {
      this.outbox = outbox;
    }

    @Transactional
    public void place(String id, String customer) {
      outbox.publish(new OrderPlaced(id, customer));
    }
  }

  static class MailServer {
    final List<String> sent = new ArrayList<>();
    boolean fails;

    @OutboxHandler(name = "mailer")
    void mail(OrderPlaced order) {
      if (fails) {
        throw new IllegalStateException("too many mails");
      }
      sent.add(order.customer());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    @Bean
    Orders orders(Outbox outbox) {
      return new Orders(outbox);
    }

    @Bean
    MailServer mailServer() {
      return new MailServer();
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.posthorn.Outbox;
import io.posthorn.boot.Shop.Order;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

class HttpRoutesTest {
  private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
  private HttpServer server;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Publisher {}

  @BeforeEach
  void listen() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.createContext(
        "/",
        exchange -> {
          String signed =
              exchange.getRequestHeaders().containsKey("Webhook-signature") ? "signed" : "unsigned";
          String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
          received.add(
              String.join(
                  " ",
                  exchange.getRequestURI().toString(),
                  signed,
                  exchange.getRequestHeaders().getFirst("Authorization"),
                  body));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private String url() {
    return "http://localhost:" + server.getAddress().getPort();
  }

  @Test
  void aTypeGoesToAUrlSigned() throws Exception {
    try (ConfigurableApplicationContext context =
        Shop.start(
            new String[] {
              "posthorn.routes.order-placed.url=" + url() + "/hooks/{type}",
              "posthorn.http.plain-hosts=localhost",
              "posthorn.http.secrets=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
              "posthorn.http.headers.authorization=Bearer t0ken",
              "posthorn.http.request-timeout=10s"
            },
            Publisher.class)) {
      Outbox outbox = context.getBean(Outbox.class);
      context
          .getBean(TransactionTemplate.class)
          .executeWithoutResult(status -> outbox.publish(new Order("7", 5)));

      assertThat(received.poll(30, TimeUnit.SECONDS))
          .isEqualTo("/hooks/order-placed signed Bearer t0ken {\"id\":\"7\",\"amount\":5}");
    }
  }

  @Test
  void aRouteHasOneDestination() {
    assertThatThrownBy(
            () ->
                Shop.start(
                        new String[] {
                          "posthorn.routes.order-placed.url=" + url(),
                          "posthorn.routes.order-placed.topic=orders"
                        },
                        Publisher.class)
                    .close())
        .rootCause()
        .hasMessageContaining("posthorn.routes.order-placed.url")
        .hasMessageContaining("make them several routes");
  }
}

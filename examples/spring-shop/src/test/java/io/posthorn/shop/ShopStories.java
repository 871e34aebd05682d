/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What people see of the shop, whatever its database. */
abstract class ShopStories {
  private final ObjectMapper json = new ObjectMapper();
  private Browser browser;

  @BeforeEach
  void open(@Value("${local.server.port}") int port) {
    browser = new Browser(port);
  }

  private String order(String email) throws Exception {
    String answer =
        browser.post(201, "/orders", "{\"item\": \"lamp\", \"email\": \"%s\"}".formatted(email));
    return json.readTree(answer).at("/id").asString();
  }

  private void awaitMailTo(String email) throws Exception {
    Eventually.holds(() -> browser.get("/mail"), mails -> mails.contains(email));
  }

  private JsonNode health() throws Exception {
    return json.readTree(browser.get("/actuator/health")).at("/components/posthorn");
  }

  private double meter(String name) throws Exception {
    return json.readTree(browser.get("/actuator/metrics/" + name + "?tag=handler:mailer"))
        .at("/measurements/0/value")
        .asDouble();
  }

  @Test
  void anOrderIsConfirmedByMail() throws Exception {
    order("ada@example.com");

    awaitMailTo("ada@example.com");
    assertThat(browser.get("/mail")).contains("Thank you for ordering lamp");
    Eventually.holds(
        () -> "" + meter("posthorn.delivered"), value -> Double.parseDouble(value) > 0);
    assertThat(health().at("/status").asString()).isEqualTo("UP");
    assertThat(health().at("/details/outbox/relay").asString()).isEqualTo("running");
  }

  @Test
  void anOrderIsTakenWhileTheMailServerIsDownAndItsMailFollows() throws Exception {
    browser.post(204, "/mail/down", "");
    order("bob@example.com");

    Eventually.holds(
        () -> health().at("/details/outbox/openCircuits").toString(),
        circuits -> circuits.contains("mailer"));
    assertThat(browser.get("/mail")).doesNotContain("bob@example.com");
    assertThat(meter("posthorn.circuit.open")).isEqualTo(1);

    browser.post(204, "/mail/up", "");
    awaitMailTo("bob@example.com");
    Eventually.holds(() -> health().toString(), health -> !health.contains("openCircuits"));
    assertThat(browser.get("/dead-letters")).isEqualTo("[]");
  }

  @Test
  void anOrderThatCannotBeMailedIsADeadLetterUntilItIsCorrectedAndRetried() throws Exception {
    String id = order("nowhere");

    String letters =
        Eventually.holds(() -> browser.get("/dead-letters"), found -> !found.equals("[]"));
    assertThat(json.readTree(letters).at("/0/key").asString()).isEqualTo(id);
    assertThat(json.readTree(letters).at("/0/handler").asString()).isEqualTo("mailer");
    assertThat(letters).contains("not an e-mail address");
    assertThat(browser.get("/mail")).doesNotContain("nowhere");
    Eventually.holds(() -> "" + meter("posthorn.died"), value -> Double.parseDouble(value) > 0);

    browser.send(204, "PUT", "/orders/" + id + "/email", "{\"email\": \"eve@example.com\"}");
    assertThat(browser.post(200, "/dead-letters/retry", "")).isEqualTo("{\"messages\":1}");

    awaitMailTo("eve@example.com");
    assertThat(browser.get("/dead-letters")).isEqualTo("[]");
  }

  @Test
  void theDashboardShowsTheOutbox() throws Exception {
    assertThat(browser.get("/posthorn/")).contains("<title>Posthorn");
    Eventually.holds(
        () -> json.readTree(browser.get("/posthorn/api/v1/overview")).at("/instances").toString(),
        "1"::equals);
    Eventually.holds(
        () -> browser.get("/posthorn/api/v1/handlers"), handlers -> handlers.contains("mailer"));
  }

  @Test
  void anOrderWithoutAnAddressIsRefused() throws Exception {
    browser.post(400, "/orders", "{\"item\": \"lamp\"}");
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** From the commit to the endpoint, with a real database and a real HTTP server. */
@Timeout(120)
class HttpDeliveryDbTest {
  private static final int KEYS = 10;

  private final Endpoint endpoint = new Endpoint();
  private final HttpSender sender = HttpSender.builder().plainHttp("localhost").build();

  @AfterEach
  void stop() {
    sender.close();
    endpoint.close();
  }

  private static String text(Endpoint.Request request) {
    return new String(request.body(), UTF_8);
  }

  private static List<String> texts(List<Endpoint.Request> requests, String key) {
    return requests.stream()
        .filter(request -> key.equals(request.header("posthorn-key")))
        .map(HttpDeliveryDbTest::text)
        .toList();
  }

  /** First arrivals of each key in order, whatever came twice. */
  private static void assertInOrder(List<Endpoint.Request> arrived, int messages) {
    int found = 0;
    for (int key = 0; key < KEYS; key++) {
      List<Integer> first =
          new ArrayList<>(
              new LinkedHashSet<>(
                  texts(arrived, "k" + key).stream().map(Integer::valueOf).toList()));
      assertThat(first).as("key k" + key).isSorted();
      found += first.size();
    }
    assertThat(found).as("different messages at the endpoint").isEqualTo(messages);
  }

  @Test
  void everyMessageArrivesOnceAndInTheOrderOfItsKey() throws Exception {
    try (Orders orders = new Orders(sender, endpoint.url() + "/{key}")) {
      orders.publish(0, 1_000, KEYS);
      orders.awaitDelivered(1_000);
    }

    List<Endpoint.Request> arrived = endpoint.accepted(1_000, 0);
    assertThat(arrived).hasSize(1_000);
    assertInOrder(arrived, 1_000);
    assertThat(arrived.get(0).path()).isEqualTo("/hooks/" + arrived.get(0).header("posthorn-key"));
  }

  @Test
  void anEndpointThatIsAwayCostsNoAttemptAndTheOrderStays() throws Exception {
    try (Orders orders = new Orders(sender, endpoint.url())) {
      orders.publish(0, 500, KEYS);
      orders.awaitDelivered(100);
      endpoint.stop();
      orders.publish(500, 800, KEYS);
      String circuit = "http to " + endpoint.url();
      Orders.await(() -> orders.log().circuits().contains(circuit + " opened"), () -> "no warning");
      endpoint.start();
      orders.awaitDelivered(800);

      orders.assertNoAttemptCounted();
      assertThat(orders.log().circuits()).endsWith(circuit + " closed");
    }
    assertInOrder(endpoint.accepted(800, 0), 800);
  }

  @Test
  void anEndpointThatIsBusyGetsItsMessagesLaterInOrderWithoutAnAttempt() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    endpoint.answers(
        (request, exchange) -> {
          if (requests.incrementAndGet() % 90 == 0) {
            exchange.getResponseHeaders().set("retry-after", "1");
            endpoint.reply(request, exchange, 429);
          } else {
            endpoint.reply(request, exchange, 202);
          }
        });
    try (Orders orders = new Orders(sender, endpoint.url())) {
      orders.publish(0, 200, KEYS);
      orders.awaitDelivered(200);

      orders.assertNoAttemptCounted();
    }
    List<Endpoint.Request> arrived = endpoint.accepted(200, 0);
    assertThat(arrived).hasSize(200);
    assertInOrder(arrived, 200);
  }

  @Test
  void aMessageThatIsRefusedBecomesADeadLetterAndItsKeyGoesOn() throws Exception {
    endpoint.answers(
        (request, exchange) ->
            endpoint.reply(request, exchange, text(request).equals("2") ? 422 : 204));
    try (Orders orders = new Orders(sender, endpoint.url())) {
      orders.publish(0, 6, 2);
      orders.awaitDelivered(5);
      Orders.await(() -> orders.log().dead().size() == 1, () -> "no dead letter");

      assertThat(orders.log().dead().get(0).error()).contains("answered 422");
      assertThat(orders.log().dead().get(0).attempts()).isEqualTo(1);
    }
    assertThat(texts(endpoint.accepted(5, 0), "k0")).containsExactly("0", "4");
  }

  @Test
  void valuesOfAMessageDoNotChangeWhereItsUrlLeads() throws Exception {
    try (Orders orders = new Orders(sender, endpoint.url() + "/{header.part}?id={key}")) {
      orders.publish(List.of(with("a/b?c#d", "k&admin=1"), with("ü %", "k1"), with("..", "k2")));
      orders.awaitDelivered(2);
      Orders.await(() -> orders.log().dead().size() == 1, () -> "no dead letter");

      assertThat(orders.log().dead().get(0).error()).contains("its path has a segment \"..\"");
    }
    assertThat(endpoint.accepted(2, 0))
        .extracting(Endpoint.Request::path)
        .containsExactlyInAnyOrder(
            "/hooks/a%2Fb%3Fc%23d?id=k%26admin%3D1", "/hooks/%C3%BC%20%25?id=k1");
  }

  private static Message with(String part, String key) {
    return Orders.message(key, "x").toBuilder().headers(Map.of("part", part)).build();
  }
}

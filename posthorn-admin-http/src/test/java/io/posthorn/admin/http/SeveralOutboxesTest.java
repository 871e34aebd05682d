/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.posthorn.Admin.Filter;
import io.posthorn.spi.AdminStore;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One server for the outboxes "orders" and "billing &amp; mail". */
class SeveralOutboxesTest {
  private static final String ORDERS = "?outbox=orders";
  private static final String BILLING = "?outbox=billing+%26+mail";
  private static final String MARK_ALL =
      "{\"kind\":\"EDIT_HEADERS\",\"filter\":{},\"set\":{\"seen\":\"yes\"}}";

  private final BatchGate gate = new BatchGate();
  private final AdminScene billing = new AdminScene(admin -> admin);
  private final AdminScene scene =
      new AdminScene(gate, admin -> admin.outbox("billing & mail", billing.posthorn()));
  private final UUID id = UUID.randomUUID();

  @AfterEach
  void end() {
    gate.open();
    scene.close();
    billing.close();
  }

  private HttpResponse<String> act(String outbox, String body) throws Exception {
    return scene.send("all", scene.put("actions/" + id + outbox, body));
  }

  private static long dead(AdminScene outbox) {
    return outbox.posthorn().admin().deadLetters().page(Filter.all(), null, 100).items().size();
  }

  @Test
  void theSessionListsThem() throws Exception {
    JsonNode names = scene.json("session").get("outboxes");

    assertThat(names.toString()).isEqualTo("[\"orders\",\"billing & mail\"]");
  }

  @Test
  void aRequestMustNameOneOfThem() throws Exception {
    for (String path : new String[] {"overview", "dead-letters", "events", "actions"}) {
      HttpResponse<String> unnamed = scene.get(path);
      assertThat(unnamed.statusCode()).as(path).isEqualTo(400);
      assertThat(AdminScene.parse(unnamed).get("detail").asText())
          .contains("\"outbox\"", "orders", "billing & mail");
      assertThat(scene.get(path + "?outbox=shipping").statusCode()).as(path).isEqualTo(404);
    }
    assertThat(act("", MARK_ALL).statusCode()).isEqualTo(400);
  }

  @Test
  void eachIsShownAndChangedOnItsOwn() throws Exception {
    scene.publish("a", "\"fatal\"");
    billing.publish("b", "\"fatal\"");

    assertThat(scene.json("dead-letters" + ORDERS).at("/items/0/key").asText()).isEqualTo("a");
    assertThat(scene.json("dead-letters" + BILLING).at("/items/0/key").asText()).isEqualTo("b");

    HttpResponse<String> deleted = act(BILLING, "{\"kind\":\"DELETE\",\"filter\":{}}");

    assertThat(AdminScene.parse(deleted).get("entries").asInt()).isEqualTo(1);
    assertThat(dead(billing)).isZero();
    assertThat(dead(scene)).isEqualTo(1);
    assertThat(scene.json("actions" + ORDERS).get("items")).isEmpty();
    assertThat(scene.get("actions/" + id + ORDERS).statusCode()).isEqualTo(404);
    assertThat(scene.json("actions/" + id + BILLING).get("kind").asText()).isEqualTo("DELETE");
  }

  @Test
  void anActionInTheBackgroundIsWatchedInItsOutbox() throws Exception {
    scene.publishFatal(AdminStore.MOST_IDS + 1);
    billing.publish("b", "\"fatal\"");

    HttpResponse<String> accepted = act(ORDERS, MARK_ALL);

    assertThat(accepted.statusCode()).isEqualTo(202);
    URI watch = accepted.uri().resolve(accepted.headers().firstValue("Location").orElseThrow());
    HttpResponse<String> watched =
        scene.send("see", scene.at(watch.getPath() + "?" + watch.getRawQuery()).GET());
    assertThat(AdminScene.parse(watched).path("state").asText()).isEqualTo("RUNNING");

    // The same action elsewhere is another one.
    JsonNode elsewhere = AdminScene.parse(act(BILLING, MARK_ALL));
    assertThat(elsewhere.path("state").asText()).isEqualTo("DONE");
    assertThat(elsewhere.path("entries").asInt()).isEqualTo(1);
  }
}

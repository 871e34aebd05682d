/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.Filter;
import io.posthorn.admin.http.AdminScene;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who may do what, on every path. */
class AccessTest {
  private AdminScene scene = new AdminScene(admin -> admin);

  @AfterEach
  void end() {
    scene.close();
  }

  private HttpRequest.Builder request(String operation) {
    int space = operation.indexOf(' ');
    String path =
        operation
            .substring(space + 2)
            .replace("{entry}", "0-1-mailer")
            .replaceAll("\\{[a-zA-Z]+}", UUID.randomUUID().toString());
    return scene
        .request(path)
        .header("Content-Type", "application/json")
        .method(
            operation.substring(0, space),
            BodyPublishers.ofString("{\"kind\":\"PAUSE\",\"handler\":\"mailer\"}"));
  }

  private int status(String role, String operation) throws Exception {
    HttpResponse<String> response = scene.send(role, request(operation));
    if (response.statusCode() >= 400) {
      OpenApi.DESCRIPTION.check(
          operation,
          response.statusCode(),
          response.headers().firstValue("Content-Type").orElse("none"),
          AdminScene.parse(response));
    }
    return response.statusCode();
  }

  private static List<String> operations() {
    return OpenApi.DESCRIPTION.operations();
  }

  @Test
  void nobodyGetsAnywhereWithoutALogin() throws Exception {
    for (String operation : operations()) {
      assertThat(status(null, operation)).as(operation).isEqualTo(401);
    }
    for (String path : List.of("", "/", "/index.html", "/api", "/api/v1/nothing", "/api/v1/")) {
      HttpResponse<String> response = scene.send(null, scene.at("/ops/posthorn" + path).GET());
      assertThat(response.statusCode()).as(path).isEqualTo(401);
      assertThat(response.headers().firstValue("WWW-Authenticate")).isPresent();
    }
  }

  @Test
  void nobodyGetsAnywhereWithoutPermission() throws Exception {
    for (String operation : operations()) {
      assertThat(status("none", operation)).as(operation).isEqualTo(403);
    }
  }

  @Test
  void whoMaySeeMayNotAct() throws Exception {
    for (String operation : operations()) {
      if (OpenApi.DESCRIPTION.permission(operation).equals("ACT")) {
        assertThat(status("see", operation)).as(operation).isEqualTo(403);
        assertThat(status("payloads", operation)).as(operation).isEqualTo(403);
      }
    }
    assertThat(scene.posthorn().admin().fleet().pauses()).isEmpty();
    assertThat(scene.posthorn().admin().actions().page(null, 10).items()).isEmpty();
  }

  @Test
  void aReadOnlyServerChangesNothingForAnybody() throws Exception {
    scene.close();
    scene = new AdminScene(admin -> admin.readOnly(true));
    for (String operation : operations()) {
      if (OpenApi.DESCRIPTION.permission(operation).equals("ACT")) {
        assertThat(status("all", operation)).as(operation).isEqualTo(403);
      }
    }
    assertThat(scene.json("session").get("readOnly").asBoolean()).isTrue();
    assertThat(scene.posthorn().admin().actions().page(null, 10).items()).isEmpty();
  }

  @Test
  void payloadsAreForThoseWhoMaySeeThem() throws Exception {
    UUID id = scene.publish("k", "{\"card\":\"%s fatal\"}".formatted(AdminScene.SECRET));
    String entry = scene.json("dead-letters").at("/items/0/id").asText();
    UUID edit = UUID.randomUUID();
    scene.act(
        edit,
        "{\"kind\":\"EDIT_PAYLOAD\",\"entry\":\"%s\",\"payload\":{\"text\":\"%s\"}}"
            .formatted(entry, AdminScene.SECRET));
    for (String path : List.of("dead-letters/" + entry, "messages/" + id, "actions/" + edit)) {
      assertThat(payload("all", path)).as(path).contains(AdminScene.SECRET);
      assertThat(payload("see", path)).as(path).doesNotContain(AdminScene.SECRET);
      assertThat(payload("act", path)).as(path).doesNotContain(AdminScene.SECRET);
    }
    HttpResponse<String> blind =
        scene.send(
            "act",
            scene.put(
                "actions/" + UUID.randomUUID(),
                "{\"kind\":\"EDIT_PAYLOAD\",\"entry\":\"%s\",\"payload\":{\"text\":\"{}\"}}"
                    .formatted(entry)));
    assertThat(blind.statusCode()).isEqualTo(403);
  }

  /** Without the headers, which have a secret of their own. */
  private String payload(String role, String path) throws Exception {
    HttpResponse<String> response = scene.send(role, scene.request(path).GET());
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body().replace("\"Bearer " + AdminScene.SECRET + "\"", "");
  }

  @Test
  void actionsAreRecordedWithWhoDidThem() throws Exception {
    UUID id = UUID.randomUUID();
    scene.act(id, "{\"kind\":\"PAUSE\",\"handler\":\"mailer\",\"why\":\"maintenance\"}");

    assertThat(scene.posthorn().admin().actions().find(id))
        .hasValueSatisfying(
            action -> {
              assertThat(action.who()).isEqualTo("anna");
              assertThat(action.why()).isEqualTo("maintenance");
            });
  }

  // --- repetitions

  @Test
  void anActionThatIsSentTwiceIsCarriedOutOnce() throws Exception {
    scene.publish("k", "\"later 1\"");
    scene.publish("k", "\"later 2\"");
    UUID id = UUID.randomUUID();
    String skip = "{\"kind\":\"SKIP\",\"handler\":\"mailer\",\"key\":\"k\"}";

    String first = scene.act(id, skip).body();
    String second = scene.act(id, skip).body();

    assertThat(second).isEqualTo(first).contains("\"entries\":1");
    assertThat(scene.posthorn().admin().deadLetters().count(Filter.all()).entries()).isEqualTo(1);
    HttpResponse<String> other =
        scene.act(id, "{\"kind\":\"SKIP\",\"handler\":\"mailer\",\"key\":\"other\"}");
    assertThat(other.statusCode()).isEqualTo(409);
  }

  // --- other sites

  private int put(String header, String value) throws Exception {
    HttpRequest.Builder request =
        scene
            .request("actions/" + UUID.randomUUID())
            .PUT(BodyPublishers.ofString("{\"kind\":\"PAUSE\",\"handler\":\"mailer\"}"));
    if (!header.equals("Content-Type")) {
      request.header("Content-Type", "application/json");
    }
    return scene.send("all", request.header(header, value)).statusCode();
  }

  @Test
  void pagesOfOtherSitesCannotChangeAnything() throws Exception {
    assertThat(put("Sec-Fetch-Site", "cross-site")).isEqualTo(403);
    assertThat(put("Sec-Fetch-Site", "same-site")).isEqualTo(403);
    assertThat(put("Origin", "https://evil.example")).isEqualTo(403);
    assertThat(put("Origin", "null")).isEqualTo(403);
    assertThat(put("Content-Type", "text/plain")).isEqualTo(415);
    assertThat(put("Content-Type", "application/x-www-form-urlencoded")).isEqualTo(415);
    assertThat(scene.posthorn().admin().fleet().pauses()).isEmpty();

    assertThat(put("Sec-Fetch-Site", "same-origin")).isEqualTo(200);
    assertThat(put("Origin", "http://127.0.0.1:" + scene.port())).isEqualTo(200);
    assertThat(scene.posthorn().admin().fleet().pauses()).hasSize(1);
  }

  @Test
  void answersAreNeitherKeptNorFramedNorTakenForSomethingElse() throws Exception {
    for (String path : List.of("overview", "nothing")) {
      assertThat(scene.get(path).headers().map())
          .containsEntry("cache-control", List.of("no-store"))
          .containsEntry("x-content-type-options", List.of("nosniff"))
          .containsEntry("x-frame-options", List.of("DENY"))
          .containsEntry("referrer-policy", List.of("no-referrer"))
          .hasEntrySatisfying(
              "content-security-policy",
              policy -> assertThat(policy.get(0)).contains("default-src 'none'"));
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.posthorn.Admin.Filter;
import io.posthorn.admin.http.AdminScene;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The API does what {@code openapi.yaml} says, and all of it is said there. */
class ContractTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Only databases say these, or processes that are at work for longer. */
  private static final Set<String> NOT_IN_THE_SCENE =
      Set.of(
          "ageSeconds",
          "deadRows",
          "findings",
          "advice",
          "found",
          "topic",
          "floorLag",
          "historyLength",
          "oldest",
          "indexBytes",
          "rows",
          "vacuumedAt",
          "tables",
          "aggregateType",
          "expiresInSeconds",
          "csrf",
          "header",
          "token",
          "errorId",
          "applicationVersion",
          "owner",
          // of problems, and of payloads that are not text: other tests look at them
          "title",
          "detail",
          "base64");

  private final Set<String> seen = new TreeSet<>();
  private final Set<String> called = new TreeSet<>();
  private AdminScene scene;

  @BeforeEach
  void begin() {
    scene =
        new AdminScene(
            admin ->
                admin
                    .eventInterval(Duration.ofMillis(20))
                    .eventLifetime(Duration.ofMillis(100))
                    .mask("authorization", "$.card.number"));
  }

  @AfterEach
  void end() {
    scene.close();
  }

  @Test
  void everyOperationIsDescribedAndEveryDescribedOneIsServed() {
    try (AdminApi api = apiOf(scene)) {
      assertThat(api.operations())
          .containsExactlyInAnyOrderElementsOf(OpenApi.DESCRIPTION.operations());
    }
  }

  private static AdminApi apiOf(AdminScene scene) {
    return new AdminApi(
        new AdminApi.Setting(
            Map.of("orders", scene.posthorn()),
            false,
            new FieldMask(List.of()),
            null,
            1_000,
            Duration.ofSeconds(1),
            1,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            io.posthorn.spi.Ticker.system()));
  }

  @Test
  void theSessionNamesTheVersionThatTheRelayRuns() throws Exception {
    assertThat(scene.json("session").get("version").asText())
        .matches("\\d+\\.\\d+\\.\\d+.*")
        .isEqualTo(scene.json("relay").get("version").asText());
  }

  @Test
  void everyAnswerIsOneThatIsDescribed() throws Exception {
    Map<String, UUID> ids = fill();
    String dead = onlyEntry("dead-letters?messageId=" + ids.get("dead"));
    String waiting = onlyEntry("deferred?messageId=" + ids.get("later"));
    for (String path :
        List.of(
            "session",
            "openapi.yaml",
            "overview",
            "series",
            "relay",
            "database",
            "ready",
            "deferred",
            "deferred/count",
            "deferred?reason=DELAYED&limit=1",
            "dead-letters",
            "dead-letters?limit=1",
            "dead-letters/count?handler=mailer",
            "dead-letters/groups",
            "history",
            "history/count",
            "lanes",
            "lanes?reason=RETRYING",
            "handlers",
            "instances",
            "partitions",
            "partition-of-key?key=k",
            "actions",
            "actions?limit=1",
            "events")) {
      check("GET /" + path.replaceFirst("\\?.*", ""), scene.get(path));
    }
    check("GET /dead-letters/{entry}", scene.get("dead-letters/" + dead));
    check("GET /deferred/{entry}", scene.get("deferred/" + waiting));
    for (UUID message : ids.values()) {
      check("GET /messages/{message}", scene.get("messages/" + message));
    }
    String place = dead.replaceFirst("-mailer$", "");
    check("GET /messages/{message}", scene.get("messages/" + place));
    checkActions(dead, waiting);

    assertThat(called).containsExactlyInAnyOrderElementsOf(OpenApi.DESCRIPTION.operations());
    Set<String> neverSeen = OpenApi.DESCRIPTION.properties();
    neverSeen.removeAll(seen);
    assertThat(neverSeen).isSubsetOf(NOT_IN_THE_SCENE);
  }

  /** One message of each kind. */
  private Map<String, UUID> fill() {
    Map<String, UUID> ids = new LinkedHashMap<>();
    ids.put("delivered", scene.publish("a", "{\"card\":{\"number\":\"1\"}}"));
    ids.put("dead", scene.publish("b", "{\"card\":{\"number\":\"1\"},\"is\":\"fatal\"}"));
    scene.publish("c", "{\"is\":\"fatal\"}");
    UUID resolved = scene.publish("r", "\"fatal\"");
    scene
        .posthorn()
        .admin()
        .as("eve", "mailed by hand")
        .deadLetters()
        .resolveAll(Filter.all().messageId(resolved), io.posthorn.ActionRun.once());
    ids.put("resolved", resolved);
    ids.put("later", scene.publish("d", "{\"is\":\"later\"}"));
    ids.put("held", scene.publish("d", "{\"is\":\"fine\"}"));
    scene.publishDelayed("{}");
    scene.posthorn().admin().lanes().block("mailer", "e");
    scene.posthorn().admin().fleet().pausePartition(0);
    scene.posthorn().admin().fleet().pauseHandler("mailer");
    scene.posthorn().admin().fleet().recent();
    scene.pass(Duration.ofSeconds(40));
    scene.posthorn().relay().pause();
    String key =
        java.util.stream.IntStream.range(0, 100)
            .mapToObj(i -> "ready-" + i)
            .filter(each -> scene.posthorn().admin().fleet().partitionOf(each) == 0)
            .findFirst()
            .orElseThrow();
    ids.put("ready", scene.publish(key, "{}"));
    return ids;
  }

  private void checkActions(String dead, String waiting) throws Exception {
    UUID retry = UUID.randomUUID();
    UUID edit = UUID.randomUUID();
    Map<UUID, String> bodies = new LinkedHashMap<>();
    bodies.put(
        edit,
        "{'kind':'EDIT_PAYLOAD','why':'typo','entry':'%s','payload':{'text':'{}'}}"
            .formatted(dead));
    bodies.put(
        UUID.randomUUID(),
        "{'kind':'EDIT_HEADERS','entry':'%s','headers':{'a':'b'}}".formatted(dead));
    bodies.put(
        UUID.randomUUID(),
        "{'kind':'RETRY','filter':{'handler':'mailer','error':'refused'},'dryRun':true}");
    bodies.put(retry, "{'kind':'RETRY','ids':['%s']}".formatted(dead));
    bodies.put(UUID.randomUUID(), "{'kind':'RESOLVE','why':'w','filter':{'type':'order-placed'}}");
    bodies.put(UUID.randomUUID(), "{'kind':'REOPEN','filter':{'resolved':true}}");
    bodies.put(
        UUID.randomUUID(),
        "{'kind':'EDIT_HEADERS','filter':{},'set':{'a':'b'},'remove':['c'],'dryRun':false}");
    bodies.put(UUID.randomUUID(), "{'kind':'SKIP','filter':{'key':'nobody'}}");
    bodies.put(UUID.randomUUID(), "{'kind':'DELETE','filter':{}}");
    bodies.put(UUID.randomUUID(), "{'kind':'RUN_NOW','ids':['%s']}".formatted(waiting));
    bodies.put(UUID.randomUUID(), "{'kind':'SKIP','handler':'mailer','key':'d'}");
    bodies.put(UUID.randomUUID(), "{'kind':'BLOCK','handler':'mailer','key':'x'}");
    bodies.put(UUID.randomUUID(), "{'kind':'UNBLOCK','handler':'mailer','key':'x'}");
    bodies.put(UUID.randomUUID(), "{'kind':'CANCEL','filter':{'reason':'HELD'}}");
    bodies.put(UUID.randomUUID(), "{'kind':'REPLAY','filter':{'key':'a'}}");
    bodies.put(UUID.randomUUID(), "{'kind':'PAUSE','handler':'other'}");
    bodies.put(UUID.randomUUID(), "{'kind':'RESUME','handler':'other'}");
    bodies.put(UUID.randomUUID(), "{'kind':'PAUSE','partition':1}");
    bodies.put(UUID.randomUUID(), "{'kind':'RESUME','partition':1}");
    bodies.put(UUID.randomUUID(), "{'kind':'FORGET','handler':'other'}");
    for (Map.Entry<UUID, String> action : bodies.entrySet()) {
      String body = action.getValue().replace('\'', '"');
      assertThat(
              OpenApi.DESCRIPTION.problemsOfRequest("PUT /actions/{action}", JSON.readTree(body)))
          .as(body)
          .isEmpty();
      HttpResponse<String> response = scene.act(action.getKey(), body);
      assertThat(response.statusCode()).as(body + response.body()).isEqualTo(200);
      check("PUT /actions/{action}", response);
    }
    checkEdited();
    HttpResponse<String> edited = scene.get("actions/" + edit);
    check("GET /actions/{action}", edited);
    assertThat(AdminScene.parse(edited).at("/original/payload/text").asText())
        .isEqualTo("{\"card\":{\"number\":\"[masked]\"},\"is\":\"fatal\"}");
    check(
        "POST /actions/{action}/stop",
        scene.send(
            "all",
            scene
                .request("actions/" + retry + "/stop")
                .header("Content-Type", "application/json")
                .POST(java.net.http.HttpRequest.BodyPublishers.ofString("{}"))));
  }

  private void checkEdited() throws Exception {
    scene.posthorn().relay().resume();
    scene.posthorn().admin().fleet().resumeHandler("mailer");
    scene.posthorn().admin().fleet().resumePartition(0);
    scene.publish("z", "\"fatal\"");
    String entry = onlyEntry("dead-letters?key=z");
    String tombstone =
        "{\"kind\":\"EDIT_PAYLOAD\",\"entry\":\"%s\",\"payload\":{\"tombstone\":true}}"
            .formatted(entry);
    assertThat(scene.act(UUID.randomUUID(), tombstone).statusCode()).isEqualTo(200);
    check("GET /dead-letters/{entry}", scene.get("dead-letters/" + entry));
    check(
        "GET /dead-letters/{entry}",
        scene.send("see", scene.request("dead-letters/" + entry).GET()));
  }

  private String onlyEntry(String path) throws Exception {
    JsonNode items = scene.json(path).get("items");
    assertThat(items).hasSize(1);
    return items.at("/0/id").asText();
  }

  private void check(String operation, HttpResponse<String> response) throws Exception {
    String type = response.headers().firstValue("Content-Type").orElse("none");
    JsonNode body =
        type.contains("json") ? AdminScene.parse(response) : TextNode.valueOf(response.body());
    assertThat(response.statusCode()).as(operation + ": " + body).isEqualTo(200);
    OpenApi.DESCRIPTION.check(operation, response.statusCode(), type, body);
    called.add(operation);
    collect(body);
  }

  private void collect(JsonNode json) {
    json.fieldNames().forEachRemaining(seen::add);
    json.forEach(this::collect);
  }

  @Test
  void everyProblemIsDescribed() throws Exception {
    for (String operation : OpenApi.DESCRIPTION.operations()) {
      String path = operation.replaceFirst("[A-Z]+ /", "").replaceAll("\\{[a-zA-Z]+}", "nonsense");
      String method = operation.replaceFirst(" .*", "");
      HttpResponse<String> response =
          scene.send(
              "all",
              scene
                  .request(path + "?nonsense=1")
                  .header("Content-Type", "application/json")
                  .method(method, java.net.http.HttpRequest.BodyPublishers.ofString("[]")));
      if (operation.equals("GET /openapi.yaml")) {
        continue; // has no parameters to mistake
      }
      assertThat(response.statusCode()).as(operation).isEqualTo(400);
      OpenApi.DESCRIPTION.check(
          operation,
          response.statusCode(),
          response.headers().firstValue("Content-Type").orElse("none"),
          AdminScene.parse(response));
      collect(AdminScene.parse(response));
    }
  }
}

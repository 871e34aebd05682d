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
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Actions that take longer than a client waits for them. */
class BackgroundActionsTest {
  private static final int PATIENCE_SECONDS = 20;
  private static final int BATCH = AdminStore.MOST_IDS;
  private static final String MARK_ALL =
      "{\"kind\":\"EDIT_HEADERS\",\"filter\":{},\"set\":{\"seen\":\"yes\"}}";

  private final BatchGate gate = new BatchGate();
  private final AdminScene scene = new AdminScene(gate, admin -> admin);
  private final UUID id = UUID.randomUUID();

  /** Each action takes two batches. */
  @BeforeEach
  void fill() {
    scene.publishFatal(BATCH + 1);
  }

  @AfterEach
  void end() {
    gate.open();
    scene.close();
  }

  private long marked() {
    return scene
        .posthorn()
        .admin()
        .deadLetters()
        .page(Filter.all(), null, BATCH + 1)
        .items()
        .stream()
        .filter(letter -> letter.message().envelope().headers().containsKey("seen"))
        .count();
  }

  private JsonNode at(URI uri) throws Exception {
    HttpResponse<String> response = scene.send("see", scene.at(uri.getPath()).GET());
    assertThat(response.statusCode()).isEqualTo(200);
    return AdminScene.parse(response);
  }

  @Test
  void anActionThatTakesLongGoesOnInTheBackground() throws Exception {
    HttpResponse<String> accepted = scene.act(id, MARK_ALL);

    assertThat(accepted.statusCode()).isEqualTo(202);
    String location = accepted.headers().firstValue("Location").orElseThrow();
    assertThat(URI.create(location).isAbsolute()).isFalse();
    assertThat(location).doesNotStartWith("/"); // a proxy may have moved the path
    assertThat(accepted.headers().firstValue("Retry-After")).contains("1");
    URI watch = accepted.uri().resolve(location);
    assertThat(at(watch).get("state").asText()).isEqualTo("RUNNING");
    assertThat(at(watch).get("entries").asInt()).isEqualTo(BATCH);
    gate.awaitBatches(1);

    gate.open();
    gate.awaitBatches(1); // the last is committed

    assertThat(at(watch).get("state").asText()).isEqualTo("DONE");
    assertThat(at(watch).get("entries").asInt()).isEqualTo(BATCH + 1);
  }

  @Test
  void anActionThatIsAskedForAgainWhileItRunsIsDoneOnce() throws Exception {
    CompletableFuture<HttpResponse<String>> first = scene.actLater(id, MARK_ALL);
    gate.awaitBatches(1);
    CompletableFuture<HttpResponse<String>> second = scene.actLater(id, MARK_ALL);
    assertThat(first.get(PATIENCE_SECONDS, TimeUnit.SECONDS).statusCode()).isEqualTo(202);
    assertThat(second.get(PATIENCE_SECONDS, TimeUnit.SECONDS).statusCode()).isEqualTo(202);
    assertThat(gate.furtherBatches()).isZero();

    gate.open();
    gate.awaitBatches(1);

    assertThat(scene.json("actions/" + id).get("entries").asInt()).isEqualTo(BATCH + 1);
    assertThat(gate.furtherBatches()).isZero();
  }

  @Test
  void anActionThatIsStoppedEndsAfterItsBatch() throws Exception {
    CompletableFuture<HttpResponse<String>> action = scene.actLater(id, MARK_ALL);
    gate.awaitBatches(1);

    HttpResponse<String> stopped =
        scene.send(
            "act",
            scene
                .request("actions/" + id + "/stop")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{}")));
    assertThat(stopped.statusCode()).isEqualTo(200);
    assertThat(AdminScene.parse(stopped).get("state").asText()).isEqualTo("STOPPED");
    gate.open();

    HttpResponse<String> answer = action.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(AdminScene.parse(answer).get("state").asText()).isEqualTo("STOPPED");
    HttpResponse<String> again = scene.act(id, MARK_ALL);
    assertThat(AdminScene.parse(again).get("state").asText()).isEqualTo("STOPPED");
    assertThat(AdminScene.parse(again).get("entries").asInt()).isEqualTo(BATCH);
    assertThat(gate.furtherBatches()).isZero();
    assertThat(marked()).isEqualTo(BATCH);
  }

  @Test
  void theFifthActionAtOnceIsRefused() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> four = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      four.add(scene.actLater(UUID.randomUUID(), MARK_ALL));
    }
    gate.awaitBatches(4);

    HttpResponse<String> fifth = scene.act(id, MARK_ALL);

    assertThat(fifth.statusCode()).isEqualTo(503);
    assertThat(fifth.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(fifth.headers().firstValue("Retry-After")).isPresent();
    assertThat(AdminScene.parse(fifth).get("detail").asText()).contains("4 actions are under way");
    assertThat(scene.get("actions/" + id).statusCode()).isEqualTo(404);
    // A count is no action.
    String dryRun = "{\"kind\":\"RETRY\",\"filter\":{},\"dryRun\":true}";
    assertThat(AdminScene.parse(scene.act(id, dryRun)).get("entries").asInt()).isEqualTo(BATCH + 1);

    gate.open();
    for (CompletableFuture<HttpResponse<String>> each : four) {
      assertThat(each.get(PATIENCE_SECONDS, TimeUnit.SECONDS).statusCode()).isIn(200, 202);
    }
    gate.awaitBatches(4);
  }
}

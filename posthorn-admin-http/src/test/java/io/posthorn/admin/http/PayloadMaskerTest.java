/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.DeadLetters;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is shown of payloads where the application decides it. */
class PayloadMaskerTest {
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final AdminScene scene =
      new AdminScene(
          admin ->
              admin
                  .mask("authorization", "$.password")
                  .masker(
                      (message, payload) -> {
                        String text = new String(payload, UTF_8);
                        asked.add(message.type() + " " + text);
                        if (text.contains("private")) {
                          return null;
                        }
                        return text.contains(AdminScene.SECRET)
                            ? text.replace(AdminScene.SECRET, "****").getBytes(UTF_8)
                            : payload;
                      }));

  @AfterEach
  void end() {
    scene.close();
  }

  private String entry(UUID message) throws Exception {
    return scene.json("dead-letters?messageId=" + message).at("/items/0/id").asText();
  }

  private JsonNode payload(UUID message) throws Exception {
    return scene.json("dead-letters/" + entry(message)).get("payload");
  }

  private static String card(String more) {
    return "{\"card\":\"%s\",\"is\":\"fatal%s\"}".formatted(AdminScene.SECRET, more);
  }

  @Test
  void itChangesWhatIsShownAndNotWhatIsStored() throws Exception {
    UUID message = scene.publish("k", card(""));

    JsonNode shown = payload(message);

    assertThat(shown.get("text").asText()).isEqualTo("{\"card\":\"****\",\"is\":\"fatal\"}");
    assertThat(shown.get("masked").asBoolean()).isTrue();
    assertThat(scene.get("messages/" + message).body())
        .contains("****")
        .doesNotContain(AdminScene.SECRET);
    assertThat(stored(message)).contains(AdminScene.SECRET);
  }

  private String stored(UUID message) {
    DeadLetters letters = scene.posthorn().admin().deadLetters();
    EntryId id = letters.page(Filter.all().messageId(message), null, 1).items().get(0).id();
    return new String(letters.find(id).orElseThrow().message().envelope().payload(), UTF_8);
  }

  @Test
  void itHidesAPayload() throws Exception {
    UUID message = scene.publish("k", card(" private"));

    JsonNode shown = payload(message);

    assertThat(shown.has("text")).isFalse();
    assertThat(shown.has("base64")).isFalse();
    assertThat(shown.get("hidden").asText()).contains("PayloadMasker");
    assertThat(shown.get("masked").asBoolean()).isTrue();
    assertThat(scene.get("messages/" + message).body()).doesNotContain(AdminScene.SECRET);
  }

  @Test
  void itHidesWaitingMessagesToo() throws Exception {
    UUID message =
        scene.publish("k", "{\"is\":\"later\",\"card\":\"%s\"}".formatted(AdminScene.SECRET));

    String waiting = scene.json("deferred?messageId=" + message).at("/items/0/id").asText();

    assertThat(scene.json("deferred/" + waiting).at("/payload/text").asText())
        .contains("****")
        .doesNotContain(AdminScene.SECRET);
  }

  @Test
  void whatItLeavesAsItIsCountsAsNotMasked() throws Exception {
    JsonNode shown = payload(scene.publish("k", "\"fatal\""));

    assertThat(shown.get("text").asText()).isEqualTo("\"fatal\"");
    assertThat(shown.get("masked").asBoolean()).isFalse();
  }

  @Test
  void itSeesWhatTheNamesHaveLeft() throws Exception {
    JsonNode shown = payload(scene.publish("k", "{\"password\":\"p\",\"is\":\"fatal\"}"));

    assertThat(asked).containsExactly("order-placed {\"password\":\"[masked]\",\"is\":\"fatal\"}");
    assertThat(shown.get("masked").asBoolean()).isTrue();
  }

  @Test
  void itIsNotAskedForSomebodyWhoMayNotSeePayloads() throws Exception {
    String entry = entry(scene.publish("k", card("")));

    String shown = scene.send("see", scene.request("dead-letters/" + entry).GET()).body();

    assertThat(shown).contains("SEE_PAYLOADS").doesNotContain(AdminScene.SECRET, "****");
    assertThat(asked).isEmpty();
  }

  @Test
  void theOriginalOfAnEditIsHiddenSinceItCannotBeAsked() throws Exception {
    String entry = entry(scene.publish("k", card("")));
    UUID edit = UUID.randomUUID();
    String body =
        "{\"kind\":\"EDIT_PAYLOAD\",\"entry\":\"%s\",\"payload\":{\"text\":\"{}\"}}"
            .formatted(entry);
    assertThat(scene.act(edit, body).statusCode()).isEqualTo(200);

    JsonNode action = scene.json("actions/" + edit);

    assertThat(action.at("/original/payload/hidden").asText()).contains("PayloadMasker");
    assertThat(action.toString()).doesNotContain(AdminScene.SECRET);
  }
}

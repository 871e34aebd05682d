/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin.Filter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that no honest client sends. */
class HostileClientTest {
  private static final int PATIENCE_MILLIS = 20_000;

  private final List<String> pages = new ArrayList<>();
  private AdminScene scene =
      new AdminScene(
          admin ->
              admin
                  .maxBodyBytes(10_000)
                  .maxWatchers(2)
                  .eventInterval(Duration.ofMillis(20))
                  .pages(
                      request -> {
                        pages.add(request.path());
                        return WebResponse.text(200, "text/plain", "page");
                      }));

  @AfterEach
  void end() {
    scene.close();
  }

  /** The first line of the answer and what follows, as far as it came. */
  private String raw(String request) throws IOException {
    try (Socket socket = connect(scene.port())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(PATIENCE_MILLIS);
    return socket;
  }

  private String rawGet(String target) throws IOException {
    return raw(
        "GET " + target + " HTTP/1.1\r\nHost: h\r\nX-Role: all\r\nConnection: close\r\n\r\n");
  }

  // --- paths

  @Test
  void noPathLeadsElsewhere() throws Exception {
    for (String path :
        List.of(
            "/../secret",
            "/%2e%2e/secret",
            "/..%2fsecret",
            "/%2E%2E%2fsecret",
            "/a/../../secret",
            "/a%00.html",
            "/%c0%ae%c0%ae/secret",
            "/..%5csecret",
            "/a;x=1",
            "/%",
            "/%zz",
            "/%e4",
            "/./a",
            "/api/v1/../../secret",
            "/api/v1/dead-letters/..%2f..%2factions")) {
      assertThat(rawGet("/ops/posthorn" + path)).as(path).startsWith("HTTP/1.1 400 ");
    }
    assertThat(rawGet("/ops/posthornx/")).startsWith("HTTP/1.1 404 ");
    assertThat(rawGet("/ops/../ops/posthorn/")).startsWith("HTTP/1.1 404 ");
    assertThat(pages).isEmpty();
    assertThat(rawGet("/ops/posthorn/app.js")).startsWith("HTTP/1.1 200 ");
    assertThat(pages).containsExactly("/app.js");
  }

  @Test
  void theBasePathLeadsToThePageWhateverIsInFront() throws Exception {
    HttpResponse<String> response = scene.send("all", scene.at("/ops/posthorn").GET());

    assertThat(response.statusCode()).isEqualTo(308);
    assertThat(response.headers().firstValue("Location")).contains("./posthorn/");
  }

  // --- headers

  @Test
  void noHeaderComesFromARequest() throws Exception {
    for (String target :
        List.of(
            "overview?outbox=a%0d%0aX-Evil:%201",
            "dead-letters?cursor=%0d%0aX-Evil:%201", "actions/%0d%0aX-Evil:%201")) {
      HttpResponse<String> response = scene.get(target);
      assertThat(response.statusCode()).as(target).isBetween(400, 404);
      assertThat(response.headers().firstValue("X-Evil")).isEmpty();
    }
    scene.publish("k", "\"fatal\"");
    String entry = scene.json("dead-letters").at("/items/0/id").asText();
    HttpResponse<String> edit =
        scene.act(
            UUID.randomUUID(),
            "{\"kind\":\"EDIT_HEADERS\",\"entry\":\"%s\",\"headers\":{\"a\\r\\nb\":\"c\"}}"
                .formatted(entry));
    assertThat(edit.statusCode()).isEqualTo(400);
    assertThat(scene.json("dead-letters/" + entry).get("headers").has("authorization")).isTrue();
  }

  @Test
  void aMaskIsNotSetInThePlaceOfMaskedHeaders() throws Exception {
    scene.close();
    scene = new AdminScene(admin -> admin.mask("authorization"));
    scene.publish("k", "\"fatal\"");

    HttpResponse<String> edit =
        scene.act(
            UUID.randomUUID(),
            "{\"kind\":\"EDIT_HEADERS\",\"filter\":{},\"set\":{\"Authorization\":\"[masked]\"}}");

    assertThat(edit.statusCode()).as(edit.body()).isEqualTo(422);
    assertThat(scene.posthorn().admin().actions().page(null, 10).items()).isEmpty();
  }

  // --- sizes

  @Test
  void whatIsTooLargeIsRefused() throws Exception {
    String large = "{\"kind\":\"" + "x".repeat(20_000) + "\"}";
    assertThat(scene.act(UUID.randomUUID(), large).statusCode()).isEqualTo(413);
    HttpResponse<String> chunked =
        scene.send(
            "all",
            scene
                .request("actions/" + UUID.randomUUID())
                .header("Content-Type", "application/json")
                .PUT(
                    BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(large.getBytes(StandardCharsets.UTF_8)))));
    assertThat(chunked.statusCode()).isEqualTo(413);
    assertThat(scene.get("dead-letters?key=" + "k".repeat(9_000)).statusCode()).isEqualTo(400);
    assertThat(scene.get("x".repeat(3_000)).statusCode()).isEqualTo(400);
    assertThat(scene.get("dead-letters?limit=1001").statusCode()).isEqualTo(400);
    String deep = "{\"kind\":" + "[".repeat(200) + "]".repeat(200) + "}";
    assertThat(scene.act(UUID.randomUUID(), deep).statusCode()).isEqualTo(400);
    assertThat(scene.posthorn().admin().actions().page(null, 10).items()).isEmpty();
  }

  @Test
  void aFilterThatIsMisspeltDoesNotMatchEverything() throws Exception {
    scene.publish("k", "\"fatal\"");

    for (String body :
        List.of(
            "{\"kind\":\"DELETE\",\"filter\":{\"handlr\":\"x\"}}",
            "{\"kind\":\"DELETE\",\"filter\":{\"reason\":\"HELD\"}}",
            "{\"kind\":\"DELETE\"}",
            "{\"kind\":\"DELETE\",\"filter\":{},\"ids\":[\"0-1-mailer\"]}",
            "{\"kind\":\"DELETE\",\"filter\":{},\"dryrun\":true}",
            "{\"kind\":\"DELETE\",\"filter\":{\"handler\":null,\"handler\":\"x\"}}")) {
      assertThat(scene.act(UUID.randomUUID(), body).statusCode()).as(body).isEqualTo(400);
    }
    assertThat(scene.get("dead-letters?handlr=x").statusCode()).isEqualTo(400);
    assertThat(scene.posthorn().admin().deadLetters().count(Filter.all()).entries()).isEqualTo(1);
  }

  // --- slow ones

  @Test
  void aBodyThatDoesNotComeIsCutOff() throws Exception {
    scene.close();
    scene =
        new AdminScene(
            request -> AdminAuthorizer.open().authorize(request),
            admin -> admin,
            Duration.ofMillis(300));
    try (Socket slow = connect(scene.port())) {
      slow.getOutputStream()
          .write(
              ("PUT /ops/posthorn/api/v1/actions/"
                      + UUID.randomUUID()
                      + " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                      + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
                  .getBytes(StandardCharsets.US_ASCII));

      assertThat(scene.get("session").statusCode()).isEqualTo(200); // others are served
      slow.getInputStream().readAllBytes(); // returns when the server has closed the connection
    }
    try (Socket silent = connect(scene.port())) {
      silent.getOutputStream().write("GET /ops".getBytes(StandardCharsets.US_ASCII));
      silent.getInputStream().readAllBytes();
    }
    assertThat(scene.get("session").statusCode()).isEqualTo(200);
  }

  @Test
  void slowHeadsDoNotKeepHealthChecksWaiting() throws Exception {
    assertThatHealthIsAnsweredDespite("GET /hea");
  }

  @Test
  void bodiesThatNobodyReadsDoNotKeepHealthChecksWaiting() throws Exception {
    assertThatHealthIsAnsweredDespite(
        "PUT /nothing HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n");
  }

  private static void assertThatHealthIsAnsweredDespite(String begun) throws Exception {
    List<Socket> slow = new ArrayList<>();
    try (JdkWebServer server =
        JdkWebServer.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .mount("/health/live", request -> WebResponse.text(200, "text/plain", "UP"))
            .start()) {
      for (int i = 0; i < 64; i++) {
        Socket socket = connect(server.port());
        slow.add(socket);
        socket.getOutputStream().write(begun.getBytes(StandardCharsets.US_ASCII));
      }
      try (Socket probe = connect(server.port())) {
        probe.setSoTimeout(4_000);
        probe
            .getOutputStream()
            .write(
                "GET /health/live HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
        assertThat(new String(probe.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
            .startsWith("HTTP/1.1 200 ");
      }
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  // --- names

  @Test
  void anOpenServerIsNotReachedUnderTheNamesOfOtherSites() throws Exception {
    scene.close();
    scene =
        new AdminScene(AdminAuthorizer.open("Ops.example"), admin -> admin, Duration.ofSeconds(30));
    for (String host :
        List.of("127.0.0.1", "127.0.0.1:80", "[::1]:80", "LOCALHOST:80", "ops.example:80")) {
      assertThat(session(host)).as(host).startsWith("HTTP/1.1 200 ");
    }
    for (String host :
        List.of("evil.example", "127.0.0.1.evil.example:80", "localhost.evil", "x@localhost")) {
      assertThat(session(host)).as(host).startsWith("HTTP/1.1 421 ").contains("under the name");
    }
  }

  private String session(String host) throws IOException {
    return raw(
        "GET /ops/posthorn/api/v1/session HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
            .formatted(host));
  }

  @Test
  void aClientThatDoesNotReadIsCutOff() throws Exception {
    CountDownLatch cutOff = new CountDownLatch(1);
    try (JdkWebServer server =
            JdkWebServer.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .mount(
                    "",
                    request ->
                        WebResponse.stream(
                            "text/plain",
                            out -> {
                              try {
                                byte[] much = new byte[100_000];
                                while (true) {
                                  out.write(much);
                                }
                              } catch (IOException e) {
                                cutOff.countDown();
                                throw e;
                              }
                            }))
                .timeout(Duration.ofMillis(300))
                .start();
        Socket idle = connect(server.port())) {
      idle.getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

      assertThat(cutOff.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
    }
  }

  @Test
  void soManyCanWatchAndAllStreamsEndWithTheServer() throws Exception {
    try (Socket one = watcher();
        Socket two = watcher()) {
      HttpResponse<String> third = scene.get("events");
      assertThat(third.statusCode()).isEqualTo(503);
      assertThat(third.headers().firstValue("Retry-After")).isPresent();

      scene.admin().close();

      assertThat(new String(one.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .contains(":"); // to its end
      two.getInputStream().readAllBytes();
    }
  }

  /** One that has had its first event. */
  private Socket watcher() throws IOException {
    Socket socket = connect(scene.port());
    socket
        .getOutputStream()
        .write(
            "GET /ops/posthorn/api/v1/events HTTP/1.1\r\nHost: h\r\nX-Role: see\r\nConnection: close\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
    StringBuilder seen = new StringBuilder();
    InputStream in = socket.getInputStream();
    while (seen.indexOf("event: overview") < 0) {
      int read = in.read();
      assertThat(read).as("stream ended after: " + seen).isNotNegative();
      seen.append((char) read);
    }
    return socket;
  }

  // --- secrets

  @Test
  void nothingOfAPayloadIsInLogsOrErrors() throws Exception {
    scene.close();
    scene =
        new AdminScene(
            admin ->
                admin.masker(
                    (message, payload) -> {
                      throw new IllegalStateException(new String(payload, StandardCharsets.UTF_8));
                    }));
    List<String> logged = new ArrayList<>();
    Handler recorder =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            logged.add(
                line.getMessage() + Arrays.toString(line.getParameters()) + line.getThrown());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("io.posthorn.admin");
    logger.addHandler(recorder);
    try {
      scene.publish("k", "\"fatal %s\"".formatted(AdminScene.SECRET));
      String entry = scene.json("dead-letters").at("/items/0/id").asText();
      String shown = scene.json("dead-letters/" + entry).get("payload").toString();
      assertThat(shown).contains("IllegalStateException").doesNotContain(AdminScene.SECRET);
      String broken = "{\"kind\":\"EDIT_PAYLOAD\",\"payload\":{\"text\":\"" + AdminScene.SECRET;
      assertThat(scene.act(UUID.randomUUID(), broken).body())
          .contains("no valid JSON")
          .doesNotContain(AdminScene.SECRET);
      failing();
      assertThat(logged).isNotEmpty().noneMatch(line -> line.contains(AdminScene.SECRET));
    } finally {
      logger.removeHandler(recorder);
    }
  }

  private void failing() throws Exception {
    scene.close();
    scene =
        new AdminScene(
            request -> {
              throw new IllegalStateException(AdminScene.SECRET);
            },
            admin -> admin,
            Duration.ofSeconds(30));
    HttpResponse<String> failed = scene.get("session");
    assertThat(failed.statusCode()).isEqualTo(500);
    assertThat(failed.body()).contains("errorId").doesNotContain(AdminScene.SECRET);
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.cli.relay.RelayConfig;
import io.posthorn.cli.relay.RelayProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands on an H2 file, and a relay that delivers from it to an HTTP endpoint. */
@Timeout(120)
class CommandTest {
  @TempDir Path directory;
  private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
  private volatile int status = 204;
  private HttpServer endpoint;

  /** What a command said. */
  private record Said(int code, String out, String err) {
    JsonNode json() throws Exception {
      return new ObjectMapper().readTree(out);
    }
  }

  @BeforeEach
  void listen() throws Exception {
    endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    endpoint.createContext(
        "/",
        exchange -> {
          String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
          if (status < 300) {
            received.add(body);
          }
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    endpoint.start();
  }

  @AfterEach
  void stop() {
    endpoint.stop(0);
  }

  private String url() {
    return "jdbc:h2:file:" + directory.resolve("shop") + ";AUTO_SERVER=TRUE";
  }

  private Said run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(arguments);
    return new Said(code, out.toString(), err.toString());
  }

  private Said onDatabase(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--url", url(), "--user", "sa"));
    return run(all.toArray(String[]::new));
  }

  private void publish(String... texts) throws Exception {
    try (Database database =
        Database.open(new Database.Address(url(), "sa", null, 2), builder -> {})) {
      Posthorn posthorn = Posthorn.publishOnly(database.store(), database.transactions()).build();
      posthorn.start();
      database
          .transactions()
          .run(
              connection -> {
                for (String text : texts) {
                  posthorn.outbox().publish(Message.of("order").key("k").payload(text).build());
                }
              });
      posthorn.close();
    }
  }

  private RelayProcess relay() throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("relay.yaml"),
            """
            database: {url: "%s", user: sa}
            relay: {retry: {max-attempts: 1}, stop-timeout: 10s, retention: 1h}
            senders:
              hooks: {type: http, plain-hosts: [localhost]}
            routes:
              - {type: order, url: "http://localhost:%d/{type}"}
            server:
              address: localhost
              port: 0
              admin:
                users:
                  anna: {password: "${PASSWORD}", may: act}
            """
                .formatted(url(), endpoint.getAddress().getPort()));
    return RelayProcess.start(RelayConfig.read(file, Map.of("PASSWORD", "pa55")::get));
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(end);
    }
  }

  private static HttpResponse<String> get(RelayProcess relay, String path, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + relay.port() + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static HttpResponse<String> asAnna(RelayProcess relay, String path) throws Exception {
    String credentials = Base64.getEncoder().encodeToString("anna:pa55".getBytes(UTF_8));
    return get(relay, path, "authorization", "Basic " + credentials);
  }

  @Test
  void tablesAreCheckedCreatedAndPrinted() {
    assertThat(onDatabase("schema", "validate").code()).isEqualTo(1);
    assertThat(onDatabase("schema", "print").out())
        .contains("CREATE TABLE IF NOT EXISTS outbox_message");
    assertThat(onDatabase("schema", "apply").out()).contains("the tables are at version");

    assertThat(onDatabase("schema", "apply").out()).contains("nothing to do");
    Said validated = onDatabase("schema", "validate");
    assertThat(validated.out()).contains("the tables are fine");
    assertThat(validated.code()).isZero();
  }

  @Test
  void aRelayDeliversAndItsDeadLettersAreSeenAndRetried() throws Exception {
    status = 422;
    try (RelayProcess relay = relay()) {
      publish("one", "two");
      await(() -> onDatabase("dead", "list").out().contains("answered 422"));

      Said list = onDatabase("dead", "list", "--json");
      assertThat(list.code()).isZero();
      assertThat(list.json().path("items")).hasSize(2);
      assertThat(list.json().at("/items/0/handler").asText()).isEqualTo("hooks");
      assertThat(onDatabase("status").out()).containsPattern("dead letters +2");
      assertThat(onDatabase("status").out()).containsPattern("relays +1");
      assertThat(onDatabase("dead", "groups").out()).contains("hooks");
      String id = list.json().at("/items/0/id").asText();
      assertThat(onDatabase("dead", "show", id).json().at("/payload/text").asText())
          .isEqualTo("one");

      status = 204;
      Said retried = onDatabase("dead", "retry", id, "--why", "mended", "--as", "anna");
      assertThat(retried.out()).contains("RETRY: 1");
      assertThat(received.poll(60, TimeUnit.SECONDS)).isEqualTo("one");
      Said refused = onDatabase("dead", "retry", "--handler", "hooks");
      assertThat(refused.code()).as("nobody to ask").isEqualTo(2);
      assertThat(refused.err()).contains("--yes");
      assertThat(onDatabase("dead", "retry", "--handler", "hooks", "--yes").code()).isZero();
      assertThat(received.poll(60, TimeUnit.SECONDS)).isEqualTo("two");
      assertThat(onDatabase("dead", "list").code()).as("none is left").isEqualTo(1);

      assertThat(onDatabase("handlers", "pause", "hooks").out()).contains("PAUSE: 1");
      assertThat(onDatabase("handlers", "list").out()).containsPattern("hooks +true");
      assertThat(onDatabase("handlers", "resume", "hooks").code()).isZero();
      assertThat(onDatabase("lanes", "block", "hooks", "k").code()).isZero();
      assertThat(onDatabase("lanes", "list").out()).contains("BLOCKED");
      assertThat(onDatabase("lanes", "unblock", "hooks", "k").code()).isZero();
      await(() -> onDatabase("messages", "--state", "history").code() == 0);
      assertThat(onDatabase("replay", "--type", "order", "--yes").code()).isZero();
      assertThat(received.poll(60, TimeUnit.SECONDS)).isNotNull();

      assertThat(get(relay, "/health/live").statusCode()).isEqualTo(200);
      assertThat(get(relay, "/health/ready").statusCode()).isEqualTo(200);
      assertThat(get(relay, "/metrics").body()).contains("posthorn_", "jvm_memory_used_bytes");
      assertThat(get(relay, "/posthorn/api/v1/overview").statusCode()).isEqualTo(401);
      Said remote = run("status", "--admin", "http://localhost:" + relay.port() + "/posthorn");
      assertThat(remote.code()).isEqualTo(1);
      assertThat(remote.err()).contains("POSTHORN_ADMIN_TOKEN");
    }
  }

  /** A process of its own: credentials come from its environment. */
  private Said remote(RelayProcess relay, String password, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of(arguments));
    command.addAll(List.of("--admin", "http://localhost:" + relay.port() + "/posthorn"));
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("POSTHORN_ADMIN_USER", "anna");
    builder.environment().put("POSTHORN_ADMIN_PASSWORD", password);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return new Said(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void anOperatorWithAPasswordActsThroughTheRelay() throws Exception {
    status = 422;
    try (RelayProcess relay = relay()) {
      publish("one");
      await(() -> onDatabase("dead", "list").code() == 0);
      status = 204;

      assertThat(remote(relay, "wrong", "status").code()).isEqualTo(1);
      assertThat(remote(relay, "pa55", "status").out()).containsPattern("dead letters +1");
      Said retried = remote(relay, "pa55", "dead", "retry", "--handler", "hooks", "--yes");
      assertThat(retried.code()).as("%s", retried).isZero();
      assertThat(received.poll(60, TimeUnit.SECONDS)).isEqualTo("one");
      assertThat(asAnna(relay, "/posthorn/api/v1/actions").body()).contains("\"who\":\"anna\"");
    }
  }

  @Test
  void theRelayServesTheDashboard() throws Exception {
    try (RelayProcess relay = relay()) {
      assertThat(get(relay, "/posthorn/").statusCode()).isEqualTo(401);
      HttpResponse<String> page = asAnna(relay, "/posthorn/");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body()).contains("<title>Posthorn");
      assertThat(page.headers().firstValue("content-security-policy").orElseThrow())
          .contains("script-src 'self'");
    }
  }

  @Test
  void aRelayWithTheAdminApiRecordsItsLastHourBeforeAnybodyAsks() throws Exception {
    Set<Thread> others = recorders();
    try (RelayProcess relay = relay()) {
      Set<Thread> own = recorders();
      own.removeAll(others);
      assertThat(own).as("of the relay at port %d", relay.port()).hasSize(1);
    }
  }

  private static Set<Thread> recorders() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().contains("-figures"))
        .collect(Collectors.toCollection(HashSet::new));
  }

  @Test
  void anActionThatDoesNotEndIsNotWaitedForLongerThanTheTimeout() {
    endpoint.createContext(
        "/stuck/api/v1/actions/",
        exchange -> {
          byte[] action =
              "{\"state\":\"RUNNING\",\"changedAt\":\"x\",\"entries\":7}".getBytes(UTF_8);
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, action.length);
          exchange.getResponseBody().write(action);
          exchange.close();
        });
    String url = "http://localhost:" + endpoint.getAddress().getPort() + "/stuck";

    Said said = run("dead", "retry", "0-1-mailer", "--timeout", "1", "--admin", url);

    assertThat(said.code()).isEqualTo(ExitCode.STILL_RUNNING);
    assertThat(said.err()).contains("had not ended after 1 s, with 7 done", "--timeout");
    assertThat(run("dead", "retry", "0-1-mailer", "--timeout", "0", "--admin", url).code())
        .isEqualTo(ExitCode.USAGE);
  }

  @Test
  void whatIsWrongIsSaidWithItsExitCode() {
    assertThat(run().code()).isEqualTo(2);
    assertThat(run("stauts").err()).contains("stauts");
    assertThat(run("status").err()).contains("--url or --admin");
    assertThat(run("status", "--url", "jdbc:nosuch:db").err()).contains("no JDBC driver knows");
    Said password = run("status", "--url", "jdbc:h2:mem:x;PASSWORD=hunter2");
    assertThat(password.code()).isEqualTo(2);
    assertThat(password.err()).contains("POSTHORN_PASSWORD").doesNotContain("hunter2");
    Said away = run("status", "--admin", "http://localhost:1/posthorn");
    assertThat(away.code()).isEqualTo(3);
    assertThat(away.err()).contains("can't be reached");
    Said as = run("status", "--admin", "http://localhost:1/posthorn", "--as", "anna");
    assertThat(as.code()).isEqualTo(2);
    assertThat(as.err()).contains("--as is for databases");
    Said config = run("relay", "--config", directory.resolve("none.yaml").toString());
    assertThat(config.code()).isEqualTo(2);
    assertThat(config.err()).contains("can't be read").doesNotContain("\tat ");
    assertThat(run("bench").err()).contains("bin/bench");
    onDatabase("schema", "apply");
    assertThat(onDatabase("dead", "delete").err()).contains("Give ids, a filter");
  }

  @Test
  void aShellCanCompleteCommands() {
    assertThat(run("completion", "bash").out()).contains("posthorn", "schema", "--table-prefix");
  }

  @Test
  void theStatusFitsEightyColumns() {
    onDatabase("schema", "apply");

    Said said = onDatabase("status", "--watch", "--interval", "1", "--times", "2");

    assertThat(said.code()).isZero();
    assertThat(said.out().lines()).allSatisfy(line -> assertThat(line.length()).isLessThan(80));
    assertThat(said.out()).contains("no relay is running").doesNotContain("\033[");
  }
}

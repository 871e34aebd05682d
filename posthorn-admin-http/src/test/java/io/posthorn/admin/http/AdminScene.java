/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.HandlerSpec;
import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.RefusedException;
import io.posthorn.RetryPolicy;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.RelayListener;
import io.posthorn.test.InMemoryStore;
import io.posthorn.test.InMemoryTransactions;
import io.posthorn.test.MutableClock;
import io.posthorn.test.StepRunner;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** An outbox whose handlers fail as messages say, and a server for its operators. */
public final class AdminScene implements AutoCloseable {
  /** The handler gives up messages with this in them at once. */
  public static final String FATAL = "fatal";

  /** The handler tries messages with this in them again, after an hour. */
  public static final String LATER = "later";

  public static final String SECRET = "4111-1111-1111-1111";

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final MutableClock clock = new MutableClock();
  private final InMemoryTransactions transactions = new InMemoryTransactions();
  private final StepRunner steps = new StepRunner();
  private final HttpClient client = HttpClient.newHttpClient();
  private final Posthorn posthorn;
  private final AdminHttp admin;
  private final JdkWebServer server;

  public AdminScene(UnaryOperator<AdminHttp.Builder> settings) {
    this(AdminScene::byHeader, settings, Duration.ofSeconds(30));
  }

  /** With a listener at the outbox. */
  public AdminScene(RelayListener listener, UnaryOperator<AdminHttp.Builder> settings) {
    this(AdminScene::byHeader, settings, Duration.ofSeconds(30), listener);
  }

  public AdminScene(
      AdminAuthorizer authorizer,
      UnaryOperator<AdminHttp.Builder> settings,
      Duration clientTimeout) {
    this(authorizer, settings, clientTimeout, new RelayListener() {});
  }

  private AdminScene(
      AdminAuthorizer authorizer,
      UnaryOperator<AdminHttp.Builder> settings,
      Duration clientTimeout,
      RelayListener listener) {
    posthorn =
        Posthorn.inOneProcess(new InMemoryStore(clock, 4), transactions)
            .clock(clock)
            .ticker(clock.ticker())
            .dutyRunner(steps)
            .codec(texts())
            .listener(listener)
            .relay(
                relay ->
                    relay.name("relay-1").executor(Runnable::run).retention(Duration.ofDays(1)))
            .handler(
                HandlerSpec.of(
                        "mailer", "order-placed", String.class, (text, delivery) -> take(text))
                    .retry(RetryPolicy.exponential(Duration.ofHours(1), Duration.ofHours(1), 10)))
            .start();
    admin = settings.apply(AdminHttp.builder(authorizer).outbox("orders", posthorn)).build();
    server =
        JdkWebServer.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .mount("/ops/posthorn", admin)
            .timeout(clientTimeout)
            .start();
    steps.drain();
  }

  private static void take(String text) throws Exception {
    if (text.contains(FATAL)) {
      throw new RefusedException("mail server refused", null);
    }
    if (text.contains(LATER)) {
      throw new IllegalStateException("mail server busy");
    }
  }

  /** Texts are their own JSON. */
  private static PayloadCodec texts() {
    return new PayloadCodec() {
      @Override
      public String contentType() {
        return "application/json";
      }

      @Override
      public byte[] encode(Object payload) {
        return payload.toString().getBytes(UTF_8);
      }

      @Override
      public <P> P decode(byte[] payload, Class<P> payloadClass) {
        return payloadClass.cast(new String(payload, UTF_8));
      }
    };
  }

  /** {@code see}, {@code payloads}, {@code act}, {@code all}; {@code none} is somebody without. */
  private static AdminAccess byHeader(WebRequest request) {
    String role = request.header("X-Role");
    if (role == null) {
      return AdminAccess.unauthenticated("Basic realm=\"Posthorn\"");
    }
    Set<AdminPermission> permissions =
        switch (role) {
          case "see" -> EnumSet.of(AdminPermission.SEE);
          case "payloads" -> EnumSet.of(AdminPermission.SEE_PAYLOADS);
          case "act" -> EnumSet.of(AdminPermission.ACT);
          case "all" -> EnumSet.allOf(AdminPermission.class);
          default -> EnumSet.noneOf(AdminPermission.class);
        };
    return AdminAccess.of("anna", permissions);
  }

  public Posthorn posthorn() {
    return posthorn;
  }

  public AdminHttp admin() {
    return admin;
  }

  public int port() {
    return server.port();
  }

  /** Publishes and lets the relay take it. */
  public UUID publish(String key, String payload) {
    UUID[] id = new UUID[1];
    transactions.run(
        () ->
            id[0] =
                posthorn
                    .outbox()
                    .publish(
                        Message.of("order-placed")
                            .key(key)
                            .tenant("acme")
                            .header("authorization", "Bearer " + SECRET)
                            .payload(payload)
                            .build()));
    steps.drain();
    return id[0];
  }

  /** Publishes many in one transaction, and lets the relay give them up. */
  public void publishFatal(int messages) {
    transactions.run(
        () ->
            IntStream.range(0, messages)
                .forEach(
                    i ->
                        posthorn
                            .outbox()
                            .publish(
                                Message.of("order-placed")
                                    .key("key-" + i)
                                    .payload('"' + FATAL + '"')
                                    .build())));
    steps.drain();
  }

  /** Publishes what is not due before tomorrow. */
  public void publishDelayed(String payload) {
    transactions.run(
        () ->
            posthorn
                .outbox()
                .publish(
                    Message.of("order-placed")
                        .deliverAfter(Duration.ofDays(1))
                        .payload(payload)
                        .build()));
    steps.drain();
  }

  public void pass(Duration time) {
    for (Duration left = time; left.compareTo(Duration.ZERO) > 0; left = left.minusSeconds(10)) {
      clock.advance(Duration.ofSeconds(10));
      steps.drain();
    }
  }

  public void drain() {
    steps.drain();
  }

  // --- the client

  public HttpResponse<String> get(String path) throws Exception {
    return send("all", request(path).GET());
  }

  public JsonNode json(String path) throws Exception {
    HttpResponse<String> response = get(path);
    if (response.statusCode() != 200) {
      throw new AssertionError(path + ": " + response.statusCode() + " " + response.body());
    }
    return JSON.readTree(response.body());
  }

  public HttpResponse<String> act(UUID id, String body) throws Exception {
    return send("all", put("actions/" + id, body));
  }

  public CompletableFuture<HttpResponse<String>> actLater(UUID id, String body) {
    return client.sendAsync(
        put("actions/" + id, body).header("X-Role", "all").build(), BodyHandlers.ofString());
  }

  public HttpRequest.Builder put(String path, String body) {
    return request(path)
        .header("Content-Type", "application/json")
        .PUT(BodyPublishers.ofString(body));
  }

  /** Below the base path of the API. */
  public HttpRequest.Builder request(String path) {
    return at("/ops/posthorn/api/v1/" + path);
  }

  public HttpRequest.Builder at(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
        .timeout(PATIENCE);
  }

  /**
   * @param role null: nobody
   */
  public HttpResponse<String> send(String role, HttpRequest.Builder request) throws Exception {
    if (role != null) {
      request.header("X-Role", role);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  public static JsonNode parse(HttpResponse<String> response) throws Exception {
    return JSON.readTree(response.body());
  }

  @Override
  public void close() {
    admin.close();
    server.close();
    posthorn.close();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import io.posthorn.DestinationDownException;
import io.posthorn.PosthornException;
import io.posthorn.RefusedException;
import io.posthorn.spi.Outgoing;
import io.posthorn.test.MutableClock;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table "HTTP answers" of docs/brokers.md. */
class FailureTableTest {
  private static final long LIMIT_SECONDS = 20;
  private static final String SECRET_TEXT = "payload-nobody-may-see";

  private final Endpoint endpoint = new Endpoint();
  private final MutableClock time = new MutableClock(Instant.parse("2026-03-01T12:00:00Z"));
  private final AtomicInteger requests = new AtomicInteger();
  private HttpSender sender =
      HttpSender.builder().plainHttp("localhost").time(time, time.ticker()).build();

  @AfterEach
  void stop() {
    sender.close();
    endpoint.close();
  }

  private static Outgoing to(String url) {
    return new Outgoing(
        UUID.randomUUID(),
        "order-placed",
        url,
        null,
        "k",
        Map.of(),
        "text/plain",
        SECRET_TEXT.getBytes(StandardCharsets.UTF_8),
        Instant.EPOCH);
  }

  private @Nullable Throwable outcome() throws Exception {
    return outcome(endpoint.url());
  }

  /** Null if it was accepted. */
  private @Nullable Throwable outcome(String url) throws Exception {
    CompletionStage<?> sending;
    try {
      sending = sender.send(to(url));
    } catch (RuntimeException e) {
      sending = CompletableFuture.failedFuture(e);
    }
    Throwable failure =
        sending
            .handle((any, thrown) -> thrown)
            .toCompletableFuture()
            .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    for (Throwable e = cause; e != null; e = e.getCause()) {
      assertThat(e.toString()).doesNotContain(SECRET_TEXT);
    }
    return cause;
  }

  private void assertUnavailable(@Nullable Throwable failure, String because) {
    assertThat(failure)
        .isInstanceOfSatisfying(
            DestinationDownException.class,
            down -> assertThat(down.destination()).contains(endpoint.url()))
        .hasMessageContaining(because);
  }

  private void answersCounted(int status, String... header) {
    endpoint.answers(
        (request, exchange) -> {
          requests.incrementAndGet();
          if (header.length > 0) {
            exchange.getResponseHeaders().set(header[0], header[1]);
          }
          echo(exchange, status, request.body());
        });
  }

  /** A body that repeats the payload: none of it may show up in an error. */
  private static void echo(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 202, 206, 299})
  void accepted(int status) throws Exception {
    answersCounted(status);

    assertThat(outcome()).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 404, 405, 409, 410, 413, 415, 418, 422, 431, 451})
  void refusedForGood(int status) throws Exception {
    answersCounted(status);

    assertThat(outcome())
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("answered " + status);
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 425, 500, 501, 505, 507})
  void anAttempt(int status) throws Exception {
    answersCounted(status);

    assertThat(outcome())
        .isExactlyInstanceOf(PosthornException.class)
        .hasMessageContaining("answered " + status);
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403, 407, 429, 502, 503, 504})
  void unavailable(int status) throws Exception {
    answersCounted(status);

    assertUnavailable(outcome(), "answered " + status);
  }

  @ParameterizedTest
  @ValueSource(ints = {300, 301, 302, 303, 307, 308})
  void aRedirectIsNotFollowed(int status) throws Exception {
    answersCounted(status, "location", endpoint.url() + "/elsewhere");

    assertUnavailable(outcome(), "redirects are not followed");
    assertThat(requests).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 503})
  void secondsToWaitAreWaited(int status) throws Exception {
    answersCounted(status, "retry-after", "120");

    assertUnavailable(outcome(), "for 120 s more (Retry-After)");
    endpoint.answers(204);
    time.advance(Duration.ofSeconds(119));
    assertUnavailable(outcome(), "for 1 s more (Retry-After)");
    assertThat(endpoint.accepted(0, 0)).as("sent before its time").isEmpty();
    time.advance(Duration.ofSeconds(1));

    assertThat(outcome()).isNull();
  }

  @Test
  void aDateToWaitForIsWaitedFor() throws Exception {
    answersCounted(503, "retry-after", "Sun, 01 Mar 2026 12:00:30 GMT");

    assertUnavailable(outcome(), "for 30 s more");
    endpoint.answers(204);
    assertUnavailable(outcome(), "for 30 s more");
    time.advance(Duration.ofSeconds(30));

    assertThat(outcome()).isNull();
  }

  @Test
  void noEndpointMakesItselfForgottenForLongerThanAnHour() throws Exception {
    answersCounted(429, "retry-after", "99999999999999999999");
    assertUnavailable(outcome(), "for 3600 s more");
    time.advance(Duration.ofHours(1));
    endpoint.answers(204);

    assertThat(outcome()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"soon", "-5", "", "0", "Sun, 01 Mar 2026 11:00:00 GMT"})
  void whatIsNoTimeToWaitIsPassedOver(String retryAfter) throws Exception {
    answersCounted(503, "retry-after", retryAfter);

    assertUnavailable(outcome(), "answered 503");
    endpoint.answers(204);
    assertThat(outcome()).isNull();
  }

  @Test
  void waitingForOneUrlDoesNotHoldAnother() throws Exception {
    answersCounted(429, "retry-after", "120");
    assertUnavailable(outcome(), "Retry-After");
    endpoint.answers(204);

    assertThat(outcome(endpoint.url() + "/other")).isNull();
  }

  @Test
  void nobodyListens() throws Exception {
    endpoint.stop();

    assertUnavailable(outcome(), "cannot be reached: nobody accepts connections");
  }

  @Test
  void anUnknownHost() throws Exception {
    assertThat(outcome("https://no-such-host.invalid/"))
        .isInstanceOf(DestinationDownException.class)
        .hasMessageContaining("cannot be reached");
  }

  @Test
  void aServerThatKnowsNoTls() throws Exception {
    impatient();
    String url = endpoint.url().replace("http:", "https:");

    assertThat(outcome(url)).isInstanceOf(DestinationDownException.class);
  }

  @Test
  void noAnswerInTime() throws Exception {
    impatient();
    CountDownLatch end = new CountDownLatch(1);
    endpoint.answers((request, exchange) -> await(end, request, exchange));
    try {
      assertUnavailable(outcome(), "did not answer within 300 ms");
    } finally {
      end.countDown();
    }
  }

  private void impatient() {
    sender.close();
    sender =
        HttpSender.builder().plainHttp("localhost").requestTimeout(Duration.ofMillis(300)).build();
  }

  private void await(CountDownLatch end, Endpoint.Request request, HttpExchange exchange)
      throws IOException {
    try {
      assertThat(end.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    endpoint.reply(request, exchange, 500);
  }

  @Test
  void theStatusCountsThoughTheBodyNeverEnds() throws Exception {
    sender.close();
    sender =
        HttpSender.builder().plainHttp("localhost").requestTimeout(Duration.ofMinutes(1)).build();

    assertThat(outcomeWithoutEnd("200 OK", true)).isNull();
    assertThat(outcomeWithoutEnd("404 Not Found", true)).isInstanceOf(RefusedException.class);
    assertThat(outcomeWithoutEnd("500 Internal Server Error", true))
        .isExactlyInstanceOf(PosthornException.class);
    assertThat(outcomeWithoutEnd("503 Service Unavailable", true))
        .isInstanceOf(DestinationDownException.class)
        .hasMessageContaining("answered 503");
  }

  @Test
  void theStatusCountsThoughTheConnectionBreaksInTheBody() throws Exception {
    assertThat(outcomeWithoutEnd("200 OK", false)).isNull();
    assertThat(outcomeWithoutEnd("404 Not Found", false)).isInstanceOf(RefusedException.class);
  }

  private @Nullable Throwable outcomeWithoutEnd(String status, boolean held) throws Exception {
    try (Endless endless = new Endless(status, held)) {
      Throwable outcome = outcome("http://localhost:" + endless.port());
      assertThat(endless.connections()).as("times that it was sent").isEqualTo(1);
      return outcome;
    }
  }

  @Test
  void aBodyThatNeverEndsIsCutOffAfterTheRequestTimeout() throws Exception {
    sender.close();
    sender =
        HttpSender.builder()
            .plainHttp("localhost")
            .requestTimeout(Duration.ofSeconds(2))
            .maxConcurrentRequests(1)
            .build();
    try (Endless endless = new Endless("200 OK", true)) {
      String url = "http://localhost:" + endless.port();

      assertThat(outcome(url)).isNull();
      assertThat(outcome(url)).as("after the first connection was closed").isNull();
      assertThat(endless.connections()).isEqualTo(2);
    }
  }

  @Test
  void aLongBodyIsNotRead() throws Exception {
    AtomicInteger written = new AtomicInteger();
    endpoint.answers(
        (request, exchange) -> {
          exchange.sendResponseHeaders(200, 0);
          OutputStream body = exchange.getResponseBody();
          byte[] part = new byte[64 * 1024];
          for (int i = 0; i < 10_000; i++) { // 640 MB
            body.write(part);
            written.incrementAndGet();
          }
        });

    assertThat(outcome()).isNull();
    assertThat(written).as("parts of 64 KiB").hasValueLessThan(1_000);
  }

  @Test
  void aConnectionThatBreaksIsReplacedOnce() throws Exception {
    try (Broken broken = new Broken()) {
      String url = "http://localhost:" + broken.port();

      assertThat(outcome(url))
          .isInstanceOf(DestinationDownException.class)
          .hasMessageContaining("cannot be reached");
      assertThat(broken.connections()).as("the first and the second try").isEqualTo(2);
    }
  }

  /** Serves one connection after the other, each for one request. */
  private abstract static class RawEndpoint implements AutoCloseable {
    private final ServerSocket listening;
    private final AtomicInteger connections = new AtomicInteger();

    RawEndpoint() throws IOException {
      listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    final void start() {
      Thread thread = new Thread(this::serve, "raw-endpoint");
      thread.setDaemon(true);
      thread.start();
    }

    private void serve() {
      while (!listening.isClosed()) {
        try (var connection = listening.accept()) {
          connections.incrementAndGet();
          connection.getInputStream().read();
          answer(connection);
        } catch (IOException e) {
          // closed by the test, or by the client
        }
      }
    }

    /** The connection is closed afterwards. */
    abstract void answer(Socket connection) throws IOException;

    int port() {
      return listening.getLocalPort();
    }

    int connections() {
      return connections.get();
    }

    @Override
    public void close() throws IOException {
      listening.close();
    }
  }

  /** Reads a little of each connection and closes it without an answer. */
  private static final class Broken extends RawEndpoint {
    Broken() throws IOException {
      start();
    }

    @Override
    void answer(Socket connection) {}
  }

  /** Answers with a status and the beginning of a body. */
  private static final class Endless extends RawEndpoint {
    private final String status;
    private final boolean held;

    /**
     * @param held whether the connection stays open until the client closes it
     */
    Endless(String status, boolean held) throws IOException {
      this.status = status;
      this.held = held;
      start();
    }

    @Override
    void answer(Socket connection) throws IOException {
      connection
          .getOutputStream()
          .write(
              "HTTP/1.1 %s\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
                  .formatted(status)
                  .getBytes(StandardCharsets.US_ASCII));
      if (held) {
        connection.getInputStream().readAllBytes();
      }
    }
  }

  @Test
  void plainHttpHasToBeAllowed() throws Exception {
    sender.close();
    sender = HttpSender.create();

    assertUnavailable(outcome(), "use https, or allow plain HTTP to the host \"localhost\"");
    assertThat(endpoint.accepted(0, 0)).isEmpty();
  }

  @Test
  void whatIsUnderWayWhenTheSenderIsClosedEndsAsUnavailable() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    endpoint.answers(
        (request, exchange) -> {
          begun.countDown();
          await(end, request, exchange);
        });
    try {
      CompletionStage<?> sending = sender.send(to(endpoint.url()));
      assertThat(begun.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      sender.close();

      assertThat(sending.toCompletableFuture())
          .failsWithin(Duration.ofSeconds(LIMIT_SECONDS))
          .withThrowableThat()
          .havingCause()
          .isInstanceOf(DestinationDownException.class)
          .withMessageContaining("was closed");
      assertThat(outcome()).isInstanceOf(DestinationDownException.class);
    } finally {
      end.countDown();
    }
  }
}

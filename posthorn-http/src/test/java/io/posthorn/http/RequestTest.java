/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ConfigurationException;
import io.posthorn.DestinationDownException;
import io.posthorn.RefusedException;
import io.posthorn.spi.Outgoing;
import io.posthorn.test.MutableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent. */
class RequestTest {
  private static final UUID ID = UUID.fromString("018f2a00-0000-7000-8000-000000000001");

  /** From the tests of the reference implementations of the Standard Webhooks specification. */
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  private final Endpoint endpoint = new Endpoint();
  private final MutableClock time = new MutableClock(Instant.ofEpochSecond(1_614_265_330));

  @AfterEach
  void stop() {
    endpoint.close();
  }

  private HttpSender.Builder builder() {
    return HttpSender.builder().plainHttp("LOCALHOST").time(time, time.ticker());
  }

  private Endpoint.Request sent(HttpSender.Builder settings, Map<String, String> headers)
      throws Exception {
    try (HttpSender sender = settings.build()) {
      sender
          .send(message(headers, "text/plain; charset=utf-8"))
          .toCompletableFuture()
          .get(20, TimeUnit.SECONDS);
    }
    return endpoint.accepted(1, 20_000).get(0);
  }

  private Outgoing message(Map<String, String> headers, String contentType) {
    return new Outgoing(
        ID,
        "order-placed",
        endpoint.url(),
        null,
        "k",
        headers,
        contentType,
        "body".getBytes(UTF_8),
        Instant.EPOCH);
  }

  @Test
  void theSignatureIsThatOfTheSpecification() {
    String signature =
        WebhookSignature.of(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            "{\"test\": 2432232314}".getBytes(UTF_8),
            WebhookSignature.keys(List.of(SECRET)));

    assertThat(signature).isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  }

  @Test
  void whileASecretIsReplacedThereIsASignatureOfEach() throws Exception {
    String other = "whsec_" + "QUJD".repeat(8);

    Endpoint.Request request = sent(builder().secrets(other, SECRET), Map.of());

    assertThat(request.header("webhook-id")).isEqualTo(ID.toString());
    assertThat(request.header("webhook-timestamp")).isEqualTo("1614265330");
    String ofOld = sign(SECRET);
    String ofNew = sign(other);
    assertThat(request.header("webhook-signature")).isEqualTo(ofNew + " " + ofOld);
    assertThat(ofNew).isNotEqualTo(ofOld);
  }

  private static String sign(String secret) {
    return WebhookSignature.of(
        ID.toString(),
        1_614_265_330,
        "body".getBytes(UTF_8),
        WebhookSignature.keys(List.of(secret)));
  }

  @Test
  void nothingIsSignedWithoutASecret() throws Exception {
    assertThat(sent(builder(), Map.of("webhook-signature", "forged")).headers())
        .doesNotContainKeys("webhook-id", "webhook-timestamp", "webhook-signature");
  }

  @Test
  void aHeaderOfAMessageBecomesNoOtherHeader() throws Exception {
    Endpoint.Request request =
        sent(
            builder(),
            Map.of(
                "own", "one\r\nx-injected: yes",
                "bad\r\nx-injected", "yes",
                "Host", "evil.example",
                "Content-Length", "3",
                "transfer-encoding", "chunked",
                "posthorn-key", "100% \"süß\""));

    assertThat(request.headers()).doesNotContainKey("x-injected");
    assertThat(request.header("own")).isEqualTo("one%0D%0Ax-injected:%20yes");
    assertThat(request.header("bad%0d%0ax-injected")).isEqualTo("yes");
    assertThat(request.header("host")).startsWith("localhost:");
    assertThat(request.header("posthorn-key")).isEqualTo("100%25%20%22s%C3%BC%C3%9F%22");
    assertThat(new String(request.body(), UTF_8)).isEqualTo("body");
  }

  @Test
  void headersWithPercentSignsOfTheirOwnStayAsTheyAre() throws Exception {
    String baggage = "user=a%20b,tier=50%";

    assertThat(sent(builder(), Map.of("baggage", baggage)).header("baggage")).isEqualTo(baggage);
  }

  @Test
  void aHeaderOfTheSenderWinsOverOneOfTheMessage() throws Exception {
    Endpoint.Request request =
        sent(
            builder().header("Authorization", "Bearer t0ken"),
            Map.of("authorization", "Bearer forged"));

    assertThat(request.header("authorization")).isEqualTo("Bearer t0ken");
    assertThat(request.header("content-type")).isEqualTo("text/plain; charset=utf-8");
  }

  @Test
  void aContentTypeThatIsNoHeaderIsReplaced() throws Exception {
    try (HttpSender sender = builder().build()) {
      sender
          .send(message(Map.of(), "text/plain\r\nx-injected: yes"))
          .toCompletableFuture()
          .get(20, TimeUnit.SECONDS);
    }

    Endpoint.Request request = endpoint.accepted(1, 20_000).get(0);
    assertThat(request.header("content-type")).isEqualTo("application/octet-stream");
    assertThat(request.headers()).doesNotContainKey("x-injected");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "orders",
        "ftp://localhost/",
        "https:///path",
        "https://user:secret@localhost/",
        "https://localhost/a/../b",
        "https://localhost/a/%2e%2E/b",
        "https://localhost/#part",
        "https://localhost/with space",
        "https://evil.example%2F.localhost/",
        "file:///etc/passwd"
      })
  void whatIsNoUrlOfAnEndpointIsRefused(String url) {
    assertThatThrownBy(() -> new TargetUrl(Set.of("localhost")).parse(url))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("change the route");
  }

  @Test
  void allProblemsOfTheSettingsAreReportedTogetherAndNoSecret() {
    assertThatThrownBy(
            () ->
                HttpSender.builder()
                    .secrets("hunter2", SECRET, "whsec_c2hvcnQ=")
                    .header("host", "x")
                    .header("bad name", "x")
                    .header("ok", "line\nbreak")
                    .connectTimeout(Duration.ZERO)
                    .requestTimeout(Duration.ofHours(1))
                    .maxConcurrentRequests(0)
                    .build())
        .isInstanceOfSatisfying(
            ConfigurationException.class, e -> assertThat(e.problems()).hasSize(8))
        .hasMessageNotContainingAny("hunter2", "c2hvcnQ", "MfKQ9r8");
  }

  @Test
  void noMoreRequestsAreUnderWayToAHostThanAllowed() throws Exception {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger highest = new AtomicInteger();
    CountDownLatch full = new CountDownLatch(3);
    endpoint.answers(
        (request, exchange) -> {
          highest.accumulateAndGet(now.incrementAndGet(), Math::max);
          full.countDown();
          try {
            assertThat(full.await(20, TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          now.decrementAndGet();
          endpoint.reply(request, exchange, 200);
        });
    try (HttpSender sender = builder().maxConcurrentRequests(3).build()) {
      List<CompletableFuture<?>> all = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        all.add(sender.send(message(Map.of(), "text/plain")).toCompletableFuture());
      }
      for (CompletableFuture<?> sending : all) {
        sending.get(20, TimeUnit.SECONDS);
      }
    }

    assertThat(highest).hasValue(3);
    assertThat(endpoint.accepted(100, 20_000)).hasSize(100);
  }

  @Test
  void whatHasWaitedTooLongForOthersIsNotSentAnyMore() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    endpoint.answers(
        (request, exchange) -> {
          begun.countDown();
          try {
            assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          endpoint.reply(request, exchange, 200);
        });
    CompletableFuture<?> neverSent;
    try (HttpSender sender = builder().maxConcurrentRequests(1).build()) {
      CompletableFuture<?> first =
          sender.send(message(Map.of(), "text/plain")).toCompletableFuture();
      neverSent = sender.send(message(Map.of(), "text/plain")).toCompletableFuture();
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      time.advance(sender.timeout());
      end.countDown();
      first.get(20, TimeUnit.SECONDS);

      assertThat(endpoint.accepted(2, 300)).hasSize(1);
    }
    assertThatThrownBy(() -> neverSent.get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(DestinationDownException.class);
  }
}

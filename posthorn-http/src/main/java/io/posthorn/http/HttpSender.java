/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import static java.util.Objects.requireNonNull;

import io.posthorn.ConfigurationException;
import io.posthorn.DestinationDownException;
import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.spi.Ticker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to HTTP endpoints (webhooks): the destination is a URL, to which the payload is
 * posted, and a message counts as delivered when the endpoint has answered with a status from 200
 * to 299. Safe to share between threads; sending never blocks.
 *
 * <pre>{@code
 * try (var http = HttpSender.builder().secrets("whsec_...").build();
 *     var posthorn = Posthorn.inOneProcess(store, transactions)
 *         .sender("http", http)
 *         .route(Route.type("order-placed").to("http", "https://hooks.example.com/{tenant}"))
 *         .start()) {
 *   ...
 * }
 * }</pre>
 *
 * <p>Each URL is a destination of its own: one that cannot be reached, does not answer in time, is
 * busy or does not authorise the sender holds its own messages only, and costs no attempt. Other
 * statuses from 400 to 499 are refusals, from 500 on failed attempts. What a status means in detail
 * is in docs/brokers.md.
 *
 * <p>Requests are encrypted unless a host was {@linkplain Builder#plainHttp allowed} to be sent
 * plain ones, redirects are not followed, and bodies of answers are not read.
 *
 * @since 0.1
 */
public final class HttpSender implements Sender, AutoCloseable {
  /** A message may wait so long, in all, for others to its host and for its own answer. */
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private static final byte[] NOTHING = {};

  private final HttpClient client;
  private final Duration requestTimeout;
  private final Map<String, String> headers;
  private final List<SecretKeySpec> keys;
  private final TargetUrl targets;
  private final RetryAfter retryAfter;
  private final Clock clock;
  private final Ticker ticker;
  private final RequestQueues queues;

  private HttpSender(Builder builder) {
    this.requestTimeout = builder.requestTimeout;
    this.headers = new LinkedHashMap<>(builder.headers);
    this.keys = WebhookSignature.keys(builder.secrets);
    this.targets = new TargetUrl(builder.plainHttpHosts);
    this.clock = builder.clock;
    this.retryAfter = new RetryAfter(builder.clock, builder.ticker);
    this.ticker = builder.ticker;
    this.queues =
        new RequestQueues(builder.maxConcurrentRequests, ticker, this::start, HttpSender::expire);
    HttpClient.Builder settings = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    builder.clientSettings.accept(settings);
    this.client =
        settings
            .connectTimeout(builder.connectTimeout)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  /** A sender with the default settings, which does not sign what it sends. */
  public static HttpSender create() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public CompletionStage<?> send(Outgoing message) {
    String destination = message.destination();
    URI url = targets.parse(destination);
    Duration wait = retryAfter.remaining(destination).orElse(null);
    if (wait != null) {
      throw SendFailure.askedToWait(destination, wait);
    }
    long startBefore = ticker.nanos() + TIMEOUT.minus(requestTimeout).toNanos();
    PendingRequest pending = new PendingRequest(destination, request(url, message), startBefore);
    CompletableFuture<Void> answer =
        pending
            .answer()
            .orTimeout(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)
            .exceptionally(
                failure -> {
                  throw new CompletionException(
                      failure instanceof TimeoutException
                          ? SendFailure.of(destination, failure, TIMEOUT)
                          : failure);
                });
    if (!queues.add(pending)) {
      throw closed();
    }
    return answer;
  }

  private static DestinationDownException closed() {
    return new DestinationDownException("the HTTP sender was closed", null);
  }

  private HttpRequest request(URI url, Outgoing message) {
    byte[] payload = message.payload();
    byte[] body = payload == null ? NOTHING : payload;
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url)
            .POST(body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body))
            .setHeader("user-agent", "posthorn");
    HeaderText.of(message).forEach(request::setHeader);
    headers.forEach(request::setHeader);
    request.setHeader("content-type", contentType(message));
    if (!keys.isEmpty()) {
      String id = message.id().toString();
      long seconds = clock.instant().getEpochSecond();
      request
          .setHeader(WebhookSignature.ID, id)
          .setHeader(WebhookSignature.TIMESTAMP, Long.toString(seconds))
          .setHeader(WebhookSignature.SIGNATURE, WebhookSignature.of(id, seconds, body, keys));
    }
    return request.build();
  }

  private static String contentType(Outgoing message) {
    return HeaderText.isValid(message.contentType())
        ? message.contentType()
        : "application/octet-stream";
  }

  /** Begins with a request. What it fails with is told to the message, never thrown. */
  @SuppressWarnings("FutureReturnValueIgnored") // whatever happens is told to the message
  private void start(PendingRequest pending) {
    CompletableFuture<HttpResponse<Void>> exchange;
    try {
      exchange = client.sendAsync(pending.request(), answer -> answered(pending, answer));
    } catch (Throwable e) { // of this message only
      queues.ended(pending);
      pending.fail(SendFailure.of(pending.destination(), e, requestTimeout));
      return;
    }
    pending.underWay(exchange);
    // The client's own timeout does not cover the body of an answer.
    exchange
        .copy()
        .orTimeout(requestTimeout.toNanos(), TimeUnit.NANOSECONDS)
        .whenComplete((response, failure) -> ended(pending, exchange, failure));
  }

  /** The status decides, whatever becomes of the body. */
  private BodySubscriber<Void> answered(PendingRequest pending, ResponseInfo answer) {
    judge(pending.destination(), answer)
        .ifPresentOrElse(
            pending.answer()::completeExceptionally, () -> pending.answer().complete(null));
    return new DiscardedBody();
  }

  private Optional<? extends Exception> judge(String destination, ResponseInfo answer) {
    int status = answer.statusCode();
    if (SendFailure.mayAskToWait(status)) {
      Optional<Duration> wait =
          answer
              .headers()
              .firstValue("retry-after")
              .flatMap(header -> retryAfter.remember(destination, header));
      if (wait.isPresent()) {
        return wait.map(left -> SendFailure.askedToWait(destination, left));
      }
    }
    return SendFailure.of(destination, status);
  }

  /** Of the whole exchange: the body of the answer was there too, or it takes too long. */
  private void ended(
      PendingRequest pending, CompletableFuture<?> exchange, @Nullable Throwable failure) {
    if (failure == null) {
      queues.ended(pending);
      return;
    }
    exchange.cancel(true);
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    Throwable known = cause == null ? failure : cause;
    if (SendFailure.isBrokenConnection(known)
        && !pending.isLate(ticker.nanos())
        && pending.mayRetry()) {
      start(pending);
      return;
    }
    queues.ended(pending);
    pending.fail(SendFailure.of(pending.destination(), known, requestTimeout));
  }

  @Override
  public Duration timeout() {
    return TIMEOUT;
  }

  @Override
  public String cloudEventsPrefix() {
    return "ce-";
  }

  private static void expire(PendingRequest pending) {
    pending.fail(SendFailure.tooBusy(pending.destination(), TIMEOUT));
  }

  /** Gives up what is under way, which then ends as unavailable. */
  @Override
  public void close() {
    queues.close().forEach(pending -> pending.fail(closed()));
  }

  /**
   * The settings of a sender, {@code posthorn.http.*} in configuration. Not safe to share between
   * threads.
   */
  public static final class Builder {
    private static final Duration MIN_TIMEOUT = Duration.ofMillis(10);
    private static final Duration MAX_TIMEOUT = Duration.ofSeconds(60);

    private final Map<String, String> headers = new LinkedHashMap<>();
    private final Set<String> plainHttpHosts = new LinkedHashSet<>();
    private List<String> secrets = List.of();
    private Duration connectTimeout = Duration.ofSeconds(5);
    private Duration requestTimeout = Duration.ofSeconds(15);
    private int maxConcurrentRequests = 64;
    private Consumer<HttpClient.Builder> clientSettings = any -> {};
    private Clock clock = Clock.systemUTC();
    private Ticker ticker = Ticker.system();

    private Builder() {}

    /**
     * Signs what is sent, as the <a href="https://www.standardwebhooks.com">Standard Webhooks</a>
     * specification says. To replace a secret, give both for a while: requests then have two
     * signatures, and endpoints may know either secret.
     *
     * @param secrets each {@code whsec_} and 24 to 64 bytes in Base64, the new one first
     */
    public Builder secrets(String... secrets) {
      return secrets(Arrays.asList(secrets));
    }

    /** As {@link #secrets(String...)}. */
    public Builder secrets(List<String> secrets) {
      this.secrets = List.copyOf(secrets);
      return this;
    }

    /**
     * Adds a header to every request, such as {@code authorization}; it wins over one of the
     * message.
     */
    public Builder header(String name, String value) {
      headers.put(requireNonNull(name, "name"), requireNonNull(value, "value"));
      return this;
    }

    /** How long connecting may take; 5 s by default. */
    public Builder connectTimeout(Duration connectTimeout) {
      this.connectTimeout = requireNonNull(connectTimeout, "connectTimeout");
      return this;
    }

    /**
     * How long an endpoint may take to answer, connecting included; 15 s by default. The status
     * must be there by then; a body that is not is cut off, and makes no difference to the message.
     */
    public Builder requestTimeout(Duration requestTimeout) {
      this.requestTimeout = requireNonNull(requestTimeout, "requestTimeout");
      return this;
    }

    /** How many requests are under way to one host at once; 64 by default. */
    public Builder maxConcurrentRequests(int maxConcurrentRequests) {
      this.maxConcurrentRequests = maxConcurrentRequests;
      return this;
    }

    /** Allows {@code http://} URLs with these hosts; by default all requests are encrypted. */
    public Builder plainHttp(String... hosts) {
      for (String host : hosts) {
        plainHttpHosts.add(host.toLowerCase(Locale.ROOT));
      }
      return this;
    }

    /**
     * Changes the client: its proxy, its TLS context with a client certificate, HTTP/2. Its
     * handling of redirects and its timeout stay the sender's.
     */
    public Builder client(Consumer<HttpClient.Builder> settings) {
      this.clientSettings = requireNonNull(settings, "settings");
      return this;
    }

    Builder time(Clock wallClock, Ticker elapsed) {
      this.clock = wallClock;
      this.ticker = elapsed;
      return this;
    }

    /**
     * Checks the settings; connects to nothing.
     *
     * @throws ConfigurationException naming every problem
     */
    public HttpSender build() {
      check();
      return new HttpSender(this);
    }

    /**
     * Checks the settings, and makes nothing.
     *
     * @throws ConfigurationException naming every problem
     */
    public void check() {
      List<String> problems = new ArrayList<>();
      headers.forEach((name, value) -> checkHeader(name, value, problems));
      checkTimeout("connect-timeout", connectTimeout, problems);
      checkTimeout("request-timeout", requestTimeout, problems);
      if (maxConcurrentRequests < 1) {
        problems.add(
            "http.max-concurrent-requests was %d but must be at least 1"
                .formatted(maxConcurrentRequests));
      }
      try {
        WebhookSignature.keys(secrets);
      } catch (ConfigurationException e) {
        problems.addAll(e.problems());
      }
      if (!problems.isEmpty()) {
        throw new ConfigurationException(problems);
      }
    }

    private static void checkTimeout(String key, Duration value, List<String> problems) {
      if (value.compareTo(MIN_TIMEOUT) < 0 || value.compareTo(MAX_TIMEOUT) > 0) {
        problems.add(
            "http.%s was %d ms but must be between %d ms and %d s"
                .formatted(key, value.toMillis(), MIN_TIMEOUT.toMillis(), MAX_TIMEOUT.toSeconds()));
      }
    }

    private static void checkHeader(String name, String value, List<String> problems) {
      if (HeaderText.isReserved(name)) {
        problems.add("http.headers: \"%s\" is set by the sender; leave it out".formatted(name));
      } else if (!HeaderText.isName(name)) {
        problems.add("http.headers: \"%s\" is not the name of an HTTP header".formatted(name));
      } else if (!HeaderText.isValid(value)) {
        problems.add(
            "http.headers: the value of \"%s\" must consist of printable ASCII characters"
                .formatted(name));
      }
    }
  }
}

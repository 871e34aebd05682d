/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http;

import static java.util.Objects.requireNonNull;

import io.posthorn.ConfigurationException;
import io.posthorn.Posthorn;
import io.posthorn.admin.http.internal.AdminApi;
import io.posthorn.admin.http.internal.FailureTrace;
import io.posthorn.admin.http.internal.FieldMask;
import io.posthorn.admin.http.internal.Paths;
import io.posthorn.admin.http.internal.RequestProblem;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Ticker;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The admin API over HTTP, and pages over it. Needs a server that mounts it: {@link JdkWebServer},
 * or the Spring Boot starter. Safe to share between threads; close it before the outbox.
 *
 * <p>The API is below {@code api/v1}, described by {@code api/v1/openapi.yaml}; every other path
 * belongs to the pages. Nothing is answered before the {@link AdminAuthorizer} has said who asks.
 *
 * <pre>{@code
 * AdminHttp admin = AdminHttp.builder(authorizer)
 *     .outbox("orders", posthorn)
 *     .mask("password", "$.card.number")
 *     .build();
 * }</pre>
 *
 * @since 0.1
 */
public final class AdminHttp implements WebHandler, AutoCloseable {
  private static final System.Logger LOG = LoggerSource.of(AdminHttp.class.getName());

  private final AdminAuthorizer authorizer;
  private final AdminApi.Setting setting;
  private final @Nullable WebHandler pages;
  private final AtomicReference<@Nullable AdminApi> running; // null if it was stopped
  private volatile boolean closed;

  private AdminHttp(
      AdminAuthorizer authorizer, AdminApi.Setting setting, @Nullable WebHandler pages) {
    this.authorizer = authorizer;
    this.setting = setting;
    this.pages = pages;
    this.running = new AtomicReference<>(new AdminApi(setting));
  }

  /**
   * @param authorizer says who may do what; {@link AdminAuthorizer#open} lets everybody do all
   */
  public static Builder builder(AdminAuthorizer authorizer) {
    return new Builder(authorizer);
  }

  @Override
  public WebResponse handle(WebRequest request) throws IOException {
    WebResponse response;
    try {
      response = answer(request);
    } catch (RequestProblem problem) {
      response = problem.response();
    } catch (IllegalArgumentException e) { // what the admin API says of what it was asked
      response = new RequestProblem(400, String.valueOf(e.getMessage())).response();
    } catch (RuntimeException e) { // whatever it is, the client gets an answer
      response = failure(e).response();
    }
    return response
        .defaultHeader("Cache-Control", "no-store")
        .defaultHeader("X-Content-Type-Options", "nosniff")
        .defaultHeader("Referrer-Policy", "no-referrer")
        .defaultHeader("X-Frame-Options", "DENY")
        .defaultHeader("Cross-Origin-Resource-Policy", "same-origin")
        .defaultHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  }

  private WebResponse answer(WebRequest request) throws IOException {
    AdminAccess access = authorizer.authorize(request);
    if (!access.authenticated()) {
      RequestProblem problem = new RequestProblem(401, "this needs a login");
      String challenge = access.challenge();
      throw challenge == null ? problem : problem.header("WWW-Authenticate", challenge);
    }
    if (!access.may(AdminPermission.SEE)) {
      throw new RequestProblem(403, "this needs the permission SEE");
    }
    AdminApi api = running.get();
    if (api == null || closed) {
      throw new RequestProblem(503, "this process is about to end");
    }
    List<String> path = Paths.segments(request.path());
    if (path.isEmpty()) {
      return redirectToPages(request);
    }
    return path.size() > 2 && path.get(0).equals("api") && path.get(1).equals("v1")
        ? api.answer(request, access, path.subList(2, path.size()))
        : page(request, path);
  }

  /** Relative, since only a proxy in front knows the whole path. */
  private static WebResponse redirectToPages(WebRequest request) {
    String base = request.basePath();
    return WebResponse.empty(308)
        .header("Location", "./" + base.substring(base.lastIndexOf('/') + 1) + "/");
  }

  private WebResponse page(WebRequest request, List<String> path) throws IOException {
    if (pages == null || path.get(0).equals("api")) {
      throw new RequestProblem(404, "there is nothing here; the API is below api/v1");
    }
    if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
      throw new RequestProblem(405, "pages can only be read").header("Allow", "GET, HEAD");
    }
    return pages.handle(request);
  }

  /** Its message could have some of a payload, so nobody is told but what kind of failure it is. */
  private static RequestProblem failure(RuntimeException e) {
    String id = UUID.randomUUID().toString();
    LOG.log(
        Level.WARNING, "A request of the admin API failed, error {0}: {1}", id, FailureTrace.of(e));
    boolean store = e instanceof StoreException;
    return new RequestProblem(
            store ? 503 : 500,
            store
                ? "the database did not answer as expected; the log has more under the errorId"
                : "this request failed; the log has more under the errorId")
        .with("errorId", id);
  }

  /**
   * Ends event streams, and actions after the batch that is under way, and answers 503 until it is
   * started again.
   */
  public void stop() {
    AdminApi api = running.getAndSet(null);
    if (api != null) {
      api.close();
    }
  }

  /** Answers again after {@link #stop}. Not after {@link #close}. */
  public void start() {
    if (running.get() == null) {
      running.compareAndSet(null, new AdminApi(setting));
    }
  }

  /** Stops for good. */
  @Override
  public void close() {
    closed = true;
    stop();
  }

  /** Collects what is served, and how. Not safe to share between threads. */
  public static final class Builder {
    private final AdminAuthorizer authorizer;
    private final Map<String, Posthorn> outboxes = new LinkedHashMap<>();
    private final List<String> masked = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private @Nullable PayloadMasker masker;
    private @Nullable WebHandler pages;
    private boolean readOnly;
    private int maxBodyBytes = 8 << 20;
    private Duration bodyTimeout = Duration.ofSeconds(30);
    private int maxWatchers = 20;
    private Duration eventInterval = Duration.ofSeconds(2);
    private Duration eventLifetime = Duration.ofMinutes(10);
    private Ticker ticker = Ticker.system();

    private Builder(AdminAuthorizer authorizer) {
      this.authorizer = requireNonNull(authorizer, "authorizer");
    }

    /** Adds an outbox. With several, each request names the one that it means. */
    public Builder outbox(String name, Posthorn posthorn) {
      if (outboxes.put(name, requireNonNull(posthorn, "posthorn")) != null) {
        problems.add("two outboxes are named \"%s\"; give each a name of its own".formatted(name));
      }
      return this;
    }

    /** Refuses every change, whoever asks for it. */
    public Builder readOnly(boolean yes) {
      readOnly = yes;
      return this;
    }

    /**
     * Replaces the values of fields of JSON payloads, and of headers.
     *
     * @param fields names, such as {@code password}, for fields at any depth and for headers; and
     *     paths from the root, such as {@code $.customer.email}, in which arrays do not count.
     *     Case, hyphens and underscores make no difference
     */
    public Builder mask(String... fields) {
      masked.addAll(List.of(fields));
      return this;
    }

    /** Sets what decides further what of a payload is shown. */
    public Builder masker(PayloadMasker hook) {
      masker = requireNonNull(hook, "hook");
      return this;
    }

    /** Sets what answers requests for all paths that are not the API's; GET and HEAD only. */
    public Builder pages(WebHandler handler) {
      pages = requireNonNull(handler, "handler");
      return this;
    }

    /** How large the body of a request may be, 8 MB by default. */
    public Builder maxBodyBytes(int bytes) {
      maxBodyBytes = bytes;
      return this;
    }

    /** How long the body of a request may take to arrive, 30 s by default. */
    public Builder bodyTimeout(Duration limit) {
      bodyTimeout = requireNonNull(limit, "limit");
      return this;
    }

    /** How many clients can watch live figures at once, 20 by default. */
    public Builder maxWatchers(int clients) {
      maxWatchers = clients;
      return this;
    }

    /** How often live figures are sent, 2 s by default. */
    public Builder eventInterval(Duration interval) {
      eventInterval = requireNonNull(interval, "interval");
      return this;
    }

    /** After which time a client must ask for live figures anew, 10 min by default. */
    public Builder eventLifetime(Duration lifetime) {
      eventLifetime = requireNonNull(lifetime, "lifetime");
      return this;
    }

    /** Sets the source of elapsed time. */
    public Builder ticker(Ticker source) {
      ticker = requireNonNull(source, "source");
      return this;
    }

    /**
     * Checks all settings.
     *
     * @throws ConfigurationException naming every problem
     */
    public AdminHttp build() {
      if (outboxes.isEmpty()) {
        problems.add("there is no outbox to serve; name one by outbox(...)");
      }
      atLeastOne("maxBodyBytes", maxBodyBytes);
      atLeastOne("maxWatchers", maxWatchers);
      positive("bodyTimeout", bodyTimeout);
      positive("eventInterval", eventInterval);
      positive("eventLifetime", eventLifetime);
      if (!problems.isEmpty()) {
        throw new ConfigurationException(problems);
      }
      AdminApi.Setting setting =
          new AdminApi.Setting(
              Collections.unmodifiableMap(new LinkedHashMap<>(outboxes)),
              readOnly,
              new FieldMask(masked),
              masker,
              maxBodyBytes,
              bodyTimeout,
              maxWatchers,
              eventInterval,
              eventLifetime,
              ticker);
      return new AdminHttp(authorizer, setting, pages);
    }

    private void atLeastOne(String name, int value) {
      if (value < 1) {
        problems.add("%s was %d but must be at least 1".formatted(name, value));
      }
    }

    private void positive(String name, Duration value) {
      if (value.isNegative() || value.isZero()) {
        problems.add("%s was %s but must be positive".formatted(name, value));
      }
    }
  }
}

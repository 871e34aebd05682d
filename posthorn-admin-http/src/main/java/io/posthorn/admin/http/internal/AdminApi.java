/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import static io.posthorn.admin.http.AdminPermission.ACT;
import static io.posthorn.admin.http.AdminPermission.SEE;
import static java.util.Objects.requireNonNull;

import io.posthorn.Posthorn;
import io.posthorn.admin.http.AdminAccess;
import io.posthorn.admin.http.AdminPermission;
import io.posthorn.admin.http.PayloadMasker;
import io.posthorn.admin.http.WebRequest;
import io.posthorn.admin.http.WebResponse;
import io.posthorn.spi.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The operations of the API, as {@code openapi.yaml} describes them. */
public final class AdminApi implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration END_OF_ACTIONS = Duration.ofSeconds(10);
  private static final int MAX_ACTIONS = 4;

  private final Setting setting;
  private final BodyReader bodies;
  private final LiveEvents events;
  private final ActionRunner runner;
  private final Map<String, SharedOverview> overviews = new LinkedHashMap<>();
  private final List<Route> routes = new ArrayList<>();

  /**
   * What it serves, and how.
   *
   * @param outboxes by name; one at least
   * @param masker null: only names are masked
   * @param clients how many can watch events at once
   */
  public record Setting(
      Map<String, Posthorn> outboxes,
      boolean readOnly,
      FieldMask mask,
      @Nullable PayloadMasker masker,
      int maxBodyBytes,
      Duration bodyTimeout,
      int clients,
      Duration eventInterval,
      Duration eventLifetime,
      Ticker ticker) {}

  public AdminApi(Setting setting) {
    this.setting = setting;
    this.bodies = new BodyReader(setting.maxBodyBytes, setting.bodyTimeout, setting.ticker);
    this.events =
        new LiveEvents(
            new LiveEvents.Limits(setting.clients, setting.eventInterval, setting.eventLifetime),
            setting.ticker);
    this.runner = new ActionRunner(MAX_ACTIONS, PATIENCE);
    setting.outboxes.forEach(
        (name, outbox) ->
            overviews.put(
                name, new SharedOverview(() -> Figures.overview(outbox), setting.ticker)));
    addRoutes();
  }

  private void addRoutes() {
    Entries entries = new Entries(setting.mask);
    Payloads payloads = new Payloads(setting.mask, setting.masker);
    Lists lists = new Lists(entries, payloads);
    FleetViews fleet = new FleetViews(entries);
    Actions actions = new Actions(entries, payloads, runner, setting.ticker);
    get("session", this::session);
    route("GET", "openapi.yaml", SEE, call -> description());
    route("GET", "overview", SEE, this::overview);
    route("GET", "events", SEE, this::events);
    get("series", AdminApi::series);
    get("relay", AdminApi::relay);
    get("database", FleetViews::database);
    get("ready", lists::ready);
    get("deferred", lists::deferred);
    get("deferred/count", Lists::countDeferred);
    get("deferred/{entry}", lists::oneDeferred);
    get("dead-letters", lists::dead);
    get("dead-letters/count", Lists::countDead);
    get("dead-letters/groups", lists::groups);
    get("dead-letters/{entry}", lists::oneDead);
    get("history", lists::history);
    get("history/count", Lists::countHistory);
    get("messages/{message}", new Story(entries, payloads)::tell);
    get("lanes", fleet::lanes);
    get("handlers", fleet::handlers);
    get("instances", fleet::instances);
    get("partitions", fleet::partitions);
    get("partition-of-key", fleet::partitionOfKey);
    get("actions", actions::page);
    get("actions/{action}", actions::one);
    route("PUT", "actions/{action}", ACT, actions::act);
    route("POST", "actions/{action}/stop", ACT, call -> ok(Json.bytes(actions.stop(call))));
  }

  private void get(String path, Function<Call, JsonObject> view) {
    route("GET", path, SEE, call -> ok(Json.bytes(view.apply(call))));
  }

  private void route(
      String method, String path, AdminPermission permission, Route.Operation operation) {
    routes.add(Route.of(method, path, permission, operation));
  }

  /** The operations: method and path, as in the description. */
  List<String> operations() {
    return routes.stream()
        .map(route -> route.method() + " /" + String.join("/", route.template()))
        .toList();
  }

  /**
   * Answers a request of somebody who may see something.
   *
   * @param path segments below the base path of the API
   * @throws RequestProblem if it is not answered as asked
   */
  public WebResponse answer(WebRequest request, AdminAccess access, List<String> path)
      throws IOException {
    String method = request.method().equals("HEAD") ? "GET" : request.method();
    TreeSet<String> methods = new TreeSet<>();
    for (Route route : routes) {
      Map<String, String> variables = route.match(path);
      if (variables != null && route.method().equals(method)) {
        check(route, request, access);
        Query query = new Query(request.query());
        return route
            .operation()
            .answer(new Call(request, access, variables, query, setting.outboxes, bodies));
      } else if (variables != null) {
        methods.add(route.method());
      }
    }
    if (methods.isEmpty()) {
      throw new RequestProblem(404, "there is no such path; openapi.yaml lists them all");
    }
    throw new RequestProblem(405, "this path takes %s only".formatted(String.join(", ", methods)))
        .header("Allow", String.join(", ", methods));
  }

  private void check(Route route, WebRequest request, AdminAccess access) {
    if (!access.may(route.permission())) {
      throw new RequestProblem(403, "this needs the permission %s".formatted(route.permission()));
    }
    if (route.permission() == ACT) {
      if (setting.readOnly) {
        throw new RequestProblem(403, "this server is read-only (posthorn.admin.read-only)");
      }
      CrossSite.refuse(request);
    }
  }

  // --- overview

  private JsonObject session(Call call) {
    call.query().end();
    WebRequest.CsrfToken csrf = call.request().csrfToken();
    return new JsonObject()
        .put("name", call.access().name())
        .put("permissions", new TreeSet<>(call.access().permissions()))
        .put("readOnly", setting.readOnly)
        .put("outboxes", List.copyOf(setting.outboxes.keySet()))
        .put("version", Posthorn.version())
        .put(
            "csrf",
            csrf == null
                ? null
                : new JsonObject().put("header", csrf.header()).put("token", csrf.token()));
  }

  private WebResponse overview(Call call) {
    SharedOverview overview = shared(call);
    return WebResponse.text(200, "application/json", overview.json());
  }

  private WebResponse events(Call call) {
    return events.stream(shared(call));
  }

  private SharedOverview shared(Call call) {
    String name = call.outboxName();
    call.query().end();
    return requireNonNull(overviews.get(name), name);
  }

  private static JsonObject series(Call call) {
    Posthorn outbox = call.outbox();
    call.query().end();
    return Figures.series(outbox.admin().fleet().recent());
  }

  private static JsonObject relay(Call call) {
    Posthorn outbox = call.outbox();
    call.query().end();
    return Figures.relay(outbox.status().orElse(null));
  }

  private static WebResponse description() {
    try (InputStream in =
        AdminApi.class.getResourceAsStream("/io/posthorn/admin/http/openapi.yaml")) {
      return WebResponse.of(
          200, "application/yaml", requireNonNull(in, "openapi.yaml").readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static WebResponse ok(byte[] json) {
    return WebResponse.of(200, "application/json", json);
  }

  /** Clients that are watching now. */
  int watchers() {
    return events.clients();
  }

  /** Ends event streams, and actions after the batch that is under way. */
  @Override
  public void close() {
    events.close();
    runner.close();
    runner.awaitEnd(END_OF_ACTIONS);
  }
}

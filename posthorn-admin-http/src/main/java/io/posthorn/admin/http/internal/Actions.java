/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.Admin;
import io.posthorn.Admin.Page;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Original;
import io.posthorn.AdminAction.State;
import io.posthorn.admin.http.WebResponse;
import io.posthorn.spi.Ticker;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** Shows what operators did, and does what they ask for. */
record Actions(Entries entries, Payloads payloads, ActionRunner runner, Ticker ticker) {
  /** A dry run that is not done by then says how many it has found. */
  private static final Duration MAX_COUNT_TIME = Duration.ofSeconds(10);

  JsonObject page(Call call) {
    Admin admin = call.admin();
    String cursor = call.query().text("cursor");
    int limit = Lists.limit(call.query());
    call.query().end();
    Page<AdminAction> page = admin.actions().page(cursor, limit);
    return entries.page(page, Actions::shown);
  }

  JsonObject one(Call call) {
    UUID id = call.uuid("action");
    Admin admin = call.admin();
    call.query().end();
    AdminAction action = admin.actions().find(id).orElseThrow(() -> unknown(id));
    JsonObject json = shown(action);
    Original original = action.original();
    return original == null ? json : json.put("original", original(original, call));
  }

  private JsonObject original(Original original, Call call) {
    return new JsonObject()
        .put("headers", payloads.mask().headers(original.headers()))
        .put("payload", payloads.showOriginal(original, call.maySeePayloads()));
  }

  WebResponse act(Call call) throws IOException {
    UUID id = call.uuid("action");
    Admin seen = call.admin();
    call.query().end();
    ActionRequest request = ActionRequest.of(call.body(), payloads, call.maySeePayloads());
    if (request.counting() != null) {
      long begun = ticker.nanos();
      return ok(
          Lists.count(
              request
                  .counting()
                  .apply(seen, any -> ticker.nanos() - begun < MAX_COUNT_TIME.toNanos())));
    }
    Admin admin = call.adminAs(request.why());
    try {
      AdminAction action =
          runner.run(call.outboxName(), seen, id, run -> request.work().apply(admin, run));
      return action.state() == State.RUNNING ? accepted(action, call) : ok(shown(action));
    } catch (IllegalArgumentException e) {
      throw problem(seen, id, request, e);
    }
  }

  /** Whether it was refused for what it is, or since the id is that of another action. */
  private static RequestProblem problem(
      Admin admin, UUID id, ActionRequest request, IllegalArgumentException e) {
    Optional<AdminAction> recorded = admin.actions().find(id);
    String detail = String.valueOf(e.getMessage());
    boolean taken =
        recorded.isPresent()
            && (recorded.get().kind() != request.kind() || detail.contains(id.toString()));
    return new RequestProblem(taken ? 409 : 400, detail);
  }

  JsonObject stop(Call call) throws IOException {
    UUID id = call.uuid("action");
    Admin admin = call.admin();
    call.query().end();
    call.body().end();
    if (admin.actions().find(id).isEmpty()) {
      throw unknown(id);
    }
    admin.actions().stop(id);
    return shown(admin.actions().find(id).orElseThrow(() -> unknown(id)));
  }

  private static JsonObject shown(AdminAction action) {
    return new JsonObject()
        .put("id", action.id())
        .put("kind", action.kind())
        .put("who", action.who())
        .put("why", action.why())
        .put("target", action.target())
        .put("state", action.state())
        .put("entries", action.entries())
        .put("startedAt", action.startedAt())
        .put("changedAt", action.changedAt());
  }

  private static WebResponse ok(JsonObject json) {
    return WebResponse.of(200, "application/json", Json.bytes(json));
  }

  /** Relative, so that it is right behind any proxy; a relative URL does not keep the query. */
  private static WebResponse accepted(AdminAction action, Call call) {
    String outbox =
        call.outboxes().size() > 1
            ? "?outbox=" + URLEncoder.encode(call.outboxName(), StandardCharsets.UTF_8)
            : "";
    return WebResponse.of(202, "application/json", Json.bytes(shown(action)))
        .header("Location", action.id() + outbox)
        .header("Retry-After", "1");
  }

  private static RequestProblem unknown(UUID id) {
    return new RequestProblem(404, "there is no action " + id);
  }
}

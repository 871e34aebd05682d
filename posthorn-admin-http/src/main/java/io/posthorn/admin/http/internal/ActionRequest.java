/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.ActionRun;
import io.posthorn.Admin;
import io.posthorn.Admin.Count;
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Kind;
import io.posthorn.admin.http.internal.Filters.Scope;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An action that a client asks for: what its body says, checked.
 *
 * @param counting counts to how many entries it would be done; null if it is to be done
 */
record ActionRequest(
    Kind kind,
    @Nullable String why,
    BiFunction<Admin, ActionRun, AdminAction> work,
    @Nullable Function<Admin, Count> counting) {
  private static final int MAX_IDS = 1_000;

  /** Reads it; {@code payloads} restores what the client saw masked. */
  static ActionRequest of(JsonInput body, Payloads payloads, boolean maySeePayloads) {
    Kind kind = kind(body);
    String why = body.optionalText("why");
    ActionRequest request =
        switch (kind) {
          case RETRY, RESOLVE, DELETE -> onEntries(kind, why, Scope.DEAD, body);
          case RUN_NOW, CANCEL -> onEntries(kind, why, Scope.DEFERRED, body);
          case REPLAY -> onEntries(kind, why, Scope.HISTORY, body);
          case EDIT_HEADERS -> editHeaders(why, body, payloads);
          case EDIT_PAYLOAD -> editPayload(why, body, payloads, maySeePayloads);
          case SKIP, BLOCK, UNBLOCK -> onLane(kind, why, body);
          case PAUSE, RESUME, FORGET -> onHandlerOrPartition(kind, why, body);
        };
    body.end();
    return request;
  }

  private static Kind kind(JsonInput body) {
    String kind = body.text("kind");
    try {
      return Kind.valueOf(kind);
    } catch (IllegalArgumentException e) {
      throw RequestProblem.badRequest("\"kind\" must be one of %s", List.of(Kind.values()));
    }
  }

  // --- many entries

  private static ActionRequest onEntries(
      Kind kind, @Nullable String why, Scope scope, JsonInput body) {
    boolean dryRun = body.flag("dryRun");
    if (body.has("ids") == body.has("filter")) {
      throw RequestProblem.badRequest(
          "either \"ids\" or \"filter\" must say which entries are meant; a filter {} means all");
    }
    if (body.has("filter")) {
      Filter filter = Filters.of(body.object("filter"), scope);
      return new ActionRequest(
          kind,
          why,
          (admin, run) -> doToAll(kind, admin, filter, run),
          dryRun ? admin -> Lists.counter(scope).apply(admin, filter) : null);
    }
    List<String> texts = body.texts("ids");
    if (texts.isEmpty() || texts.size() > MAX_IDS) {
      throw RequestProblem.badRequest(
          "\"ids\" had %d entries but must have 1 to %d", texts.size(), MAX_IDS);
    }
    List<EntryId> ids = texts.stream().map(EntryIds::parse).distinct().toList();
    return new ActionRequest(
        kind,
        why,
        (admin, run) -> doTo(kind, admin, ids, run),
        dryRun ? admin -> new Count(ids.size(), true) : null);
  }

  private static AdminAction doTo(Kind kind, Admin admin, Collection<EntryId> ids, ActionRun run) {
    return switch (kind) {
      case RETRY -> admin.deadLetters().retry(ids, run);
      case RESOLVE -> admin.deadLetters().resolve(ids, run);
      case DELETE -> admin.deadLetters().delete(ids, run);
      case RUN_NOW -> admin.deferred().runNow(ids, run);
      case CANCEL -> admin.deferred().cancel(ids, run);
      case REPLAY -> admin.history().replay(ids, run);
      default -> throw new IllegalArgumentException("not done to entries: " + kind);
    };
  }

  private static AdminAction doToAll(Kind kind, Admin admin, Filter filter, ActionRun run) {
    return switch (kind) {
      case RETRY -> admin.deadLetters().retryAll(filter, run);
      case RESOLVE -> admin.deadLetters().resolveAll(filter, run);
      case DELETE -> admin.deadLetters().deleteAll(filter, run);
      case RUN_NOW -> admin.deferred().runAllNow(filter, run);
      case CANCEL -> admin.deferred().cancelAll(filter, run);
      case REPLAY -> admin.history().replayAll(filter, run);
      default -> throw new IllegalArgumentException("not done to entries: " + kind);
    };
  }

  // --- edits

  private static ActionRequest editHeaders(
      @Nullable String why, JsonInput body, Payloads payloads) {
    EntryId id = EntryIds.parse(body.text("entry"));
    Map<String, String> headers = body.object("headers").allTexts();
    return now(
        Kind.EDIT_HEADERS,
        why,
        (admin, run) -> {
          Map<String, String> restored =
              admin
                  .deadLetters()
                  .find(id)
                  .map(
                      letter ->
                          payloads
                              .mask()
                              .restoredHeaders(headers, letter.message().envelope().headers()))
                  .orElse(headers);
          return admin.deadLetters().setHeaders(id, restored, run);
        });
  }

  private static ActionRequest editPayload(
      @Nullable String why, JsonInput body, Payloads payloads, boolean maySeePayloads) {
    EntryId id = EntryIds.parse(body.text("entry"));
    byte[] payload = payload(body.object("payload"));
    if (!maySeePayloads) {
      throw new RequestProblem(
          403, "an edit of a payload needs the permission SEE_PAYLOADS as well");
    }
    return now(
        Kind.EDIT_PAYLOAD,
        why,
        (admin, run) -> {
          DeadLetter letter = admin.deadLetters().find(id).orElse(null);
          byte[] stored =
              payload == null || letter == null
                  ? payload
                  : payloads.restored(payload, letter.message().envelope());
          return admin.deadLetters().setPayload(id, stored, run);
        });
  }

  private static byte @Nullable [] payload(JsonInput payload) {
    String text = payload.optionalText("text");
    String base64 = payload.optionalText("base64");
    boolean tombstone = payload.flag("tombstone");
    payload.end();
    if ((text != null ? 1 : 0) + (base64 != null ? 1 : 0) + (tombstone ? 1 : 0) != 1) {
      throw RequestProblem.badRequest(
          "\"payload\" must have one of \"text\", \"base64\" and \"tombstone\": true");
    }
    try {
      return tombstone
          ? null
          : text != null
              ? text.getBytes(StandardCharsets.UTF_8)
              : Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw RequestProblem.badRequest("\"payload.base64\" must be Base64");
    }
  }

  // --- lanes, handlers, partitions

  private static ActionRequest onLane(Kind kind, @Nullable String why, JsonInput body) {
    String handler = body.text("handler");
    String key = body.text("key");
    return now(
        kind,
        why,
        (admin, run) ->
            switch (kind) {
              case SKIP -> admin.lanes().skipHead(handler, key, run);
              case BLOCK -> admin.lanes().block(handler, key, run);
              default -> admin.lanes().unblock(handler, key, run);
            });
  }

  private static ActionRequest onHandlerOrPartition(
      Kind kind, @Nullable String why, JsonInput body) {
    if (kind != Kind.FORGET && body.has("partition")) {
      int partition = body.integer("partition");
      return now(
          kind,
          why,
          (admin, run) ->
              kind == Kind.PAUSE
                  ? admin.fleet().pausePartition(partition, run)
                  : admin.fleet().resumePartition(partition, run));
    }
    String handler = body.text("handler");
    return now(
        kind,
        why,
        (admin, run) ->
            switch (kind) {
              case PAUSE -> admin.fleet().pauseHandler(handler, run);
              case RESUME -> admin.fleet().resumeHandler(handler, run);
              default -> admin.fleet().forgetHandler(handler, run);
            });
  }

  private static ActionRequest now(
      Kind kind, @Nullable String why, BiFunction<Admin, ActionRun, AdminAction> work) {
    return new ActionRequest(kind, why, work, null);
  }
}

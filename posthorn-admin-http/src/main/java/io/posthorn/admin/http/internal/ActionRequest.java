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
import io.posthorn.DeadLetters.HeaderEdit;
import io.posthorn.admin.http.internal.Filters.Scope;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
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
    @Nullable BiFunction<Admin, Predicate<Count>, Count> counting) {
  private static final int MAX_IDS = 1_000;
  private static final HeaderEdit NO_EDIT = new HeaderEdit(Map.of(), Set.of());

  /** Reads it; {@code payloads} restores what the client saw masked. */
  static ActionRequest of(JsonInput body, Payloads payloads, boolean maySeePayloads) {
    Kind kind = kind(body);
    String why = body.optionalText("why");
    ActionRequest request =
        switch (kind) {
          case RETRY, RESOLVE, DELETE -> onEntries(kind, why, Scope.DEAD, body, payloads);
          case RUN_NOW, CANCEL -> onEntries(kind, why, Scope.DEFERRED, body, payloads);
          case REPLAY, REOPEN -> onEntries(kind, why, Scope.HISTORY, body, payloads);
          case EDIT_HEADERS ->
              body.has("entry")
                  ? editHeaders(why, body, payloads)
                  : onEntries(kind, why, Scope.DEAD, body, payloads);
          case EDIT_PAYLOAD -> editPayload(why, body, payloads, maySeePayloads);
          case SKIP ->
              body.has("ids") || body.has("filter")
                  ? onEntries(kind, why, Scope.DEFERRED, body, payloads)
                  : onLane(kind, why, body);
          case BLOCK, UNBLOCK -> onLane(kind, why, body);
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
      Kind kind, @Nullable String why, Scope scope, JsonInput body, Payloads payloads) {
    boolean dryRun = body.flag("dryRun");
    HeaderEdit edit = kind == Kind.EDIT_HEADERS ? headerEdit(body, payloads.mask()) : NO_EDIT;
    if (body.has("ids") == body.has("filter")) {
      throw RequestProblem.badRequest(
          "either \"ids\" or \"filter\" must say which entries are meant; a filter {} means all");
    }
    if (body.has("filter")) {
      Filter filter = Filters.of(body.object("filter"), scope);
      return new ActionRequest(
          kind,
          why,
          (admin, run) -> doToAll(kind, admin, filter, edit, run),
          dryRun ? (admin, goesOn) -> Lists.counter(scope, goesOn).apply(admin, filter) : null);
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
        (admin, run) -> doTo(kind, admin, ids, edit, run),
        dryRun ? (admin, goesOn) -> new Count(ids.size(), true) : null);
  }

  private static HeaderEdit headerEdit(JsonInput body, FieldMask mask) {
    Map<String, String> set = body.has("set") ? headers(body.object("set")) : Map.of();
    mask.refuseMasks(set);
    return new HeaderEdit(set, body.has("remove") ? Set.copyOf(body.texts("remove")) : Set.of());
  }

  private static AdminAction doTo(
      Kind kind, Admin admin, Collection<EntryId> ids, HeaderEdit edit, ActionRun run) {
    return switch (kind) {
      case RETRY -> admin.deadLetters().retry(ids, run);
      case RESOLVE -> admin.deadLetters().resolve(ids, run);
      case DELETE -> admin.deadLetters().delete(ids, run);
      case RUN_NOW -> admin.deferred().runNow(ids, run);
      case CANCEL -> admin.deferred().cancel(ids, run);
      case SKIP -> admin.deferred().skip(ids, run);
      case EDIT_HEADERS -> admin.deadLetters().editHeaders(ids, edit, run);
      case REPLAY -> admin.history().replay(ids, run);
      case REOPEN -> admin.history().reopen(ids, run);
      default -> throw new IllegalArgumentException("not done to entries: " + kind);
    };
  }

  private static AdminAction doToAll(
      Kind kind, Admin admin, Filter filter, HeaderEdit edit, ActionRun run) {
    return switch (kind) {
      case RETRY -> admin.deadLetters().retryAll(filter, run);
      case RESOLVE -> admin.deadLetters().resolveAll(filter, run);
      case DELETE -> admin.deadLetters().deleteAll(filter, run);
      case RUN_NOW -> admin.deferred().runAllNow(filter, run);
      case CANCEL -> admin.deferred().cancelAll(filter, run);
      case SKIP -> admin.deferred().skipAll(filter, run);
      case EDIT_HEADERS -> admin.deadLetters().editAllHeaders(filter, edit, run);
      case REPLAY -> admin.history().replayAll(filter, run);
      case REOPEN -> admin.history().reopenAll(filter, run);
      default -> throw new IllegalArgumentException("not done to entries: " + kind);
    };
  }

  // --- edits

  private static ActionRequest editHeaders(
      @Nullable String why, JsonInput body, Payloads payloads) {
    EntryId id = EntryIds.parse(body.text("entry"));
    Map<String, String> headers = headers(body.object("headers"));
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

  /** Some destinations have headers of lines of text: none may become two there. */
  private static Map<String, String> headers(JsonInput sent) {
    Map<String, String> headers = sent.allTexts();
    headers.forEach(
        (name, value) -> {
          if ((name + value).chars().anyMatch(c -> c == '\r' || c == '\n' || c == 0)) {
            throw RequestProblem.badRequest("the name and value of a header must be one line each");
          }
        });
    return headers;
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

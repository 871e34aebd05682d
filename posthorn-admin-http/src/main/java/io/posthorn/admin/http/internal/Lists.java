/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.Admin;
import io.posthorn.Admin.Count;
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.Page;
import io.posthorn.DeadLetters;
import io.posthorn.admin.http.internal.Filters.Scope;
import io.posthorn.spi.Envelope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Shows messages: ready, deferred, given up and delivered ones. */
record Lists(Entries entries, Payloads payloads) {
  private static final int DEFAULT_LIMIT = 50;

  /** A message is at a few places at most; so many pages are searched in each list. */
  private static final int MAX_PAGES = 20;

  static int limit(Query query) {
    return query.integer("limit", 1, Admin.LONGEST_PAGE, DEFAULT_LIMIT);
  }

  // --- pages

  JsonObject ready(Call call) {
    Admin admin = call.admin();
    return page(call, Scope.READY, admin::ready, entries::ready);
  }

  JsonObject deferred(Call call) {
    return page(call, Scope.DEFERRED, call.admin().deferred()::page, entries::deferred);
  }

  JsonObject dead(Call call) {
    return page(call, Scope.DEAD, call.admin().deadLetters()::page, entries::dead);
  }

  JsonObject history(Call call) {
    return page(call, Scope.HISTORY, call.admin().history()::page, entries::history);
  }

  private interface Pages<T> {
    Page<T> page(Filter filter, @Nullable String cursor, int limit);
  }

  private <T> JsonObject page(
      Call call, Scope scope, Pages<T> pages, Function<T, JsonObject> item) {
    Filter filter = Filters.of(call.query(), scope);
    String cursor = call.query().text("cursor");
    int limit = limit(call.query());
    call.query().end();
    return entries.page(pages.page(filter, cursor, limit), item);
  }

  // --- counts

  static JsonObject countDeferred(Call call) {
    return count(call, Scope.DEFERRED, call.admin().deferred()::count);
  }

  static JsonObject countDead(Call call) {
    return count(call, Scope.DEAD, call.admin().deadLetters()::count);
  }

  static JsonObject countHistory(Call call) {
    return count(call, Scope.HISTORY, call.admin().history()::count);
  }

  private static JsonObject count(Call call, Scope scope, Function<Filter, Count> counter) {
    Filter filter = Filters.of(call.query(), scope);
    call.query().end();
    return count(counter.apply(filter));
  }

  static JsonObject count(Count count) {
    return new JsonObject().put("entries", count.entries()).put("complete", count.complete());
  }

  // --- one message

  JsonObject oneDeferred(Call call) {
    Admin.EntryId id = call.entry();
    Admin admin = call.admin();
    call.query().end();
    DeferredEntry entry = admin.deferred().find(id).orElseThrow(Lists::gone);
    return entries
        .deferred(entry)
        .put("payload", payloads.show(entry.message().envelope(), call.maySeePayloads()));
  }

  JsonObject oneDead(Call call) {
    Admin.EntryId id = call.entry();
    Admin admin = call.admin();
    call.query().end();
    DeadLetter entry = admin.deadLetters().find(id).orElseThrow(Lists::gone);
    return entries
        .dead(entry)
        .put("payload", payloads.show(entry.message().envelope(), call.maySeePayloads()));
  }

  private static RequestProblem gone() {
    return new RequestProblem(
        404, "there is no such message; it may have been delivered, moved or deleted meanwhile");
  }

  JsonObject groups(Call call) {
    Admin admin = call.admin();
    String handler = call.query().text("handler");
    call.query().end();
    DeadLetters.Groups groups = admin.deadLetters().groups(handler);
    return new JsonObject()
        .put(
            "groups",
            groups.groups().stream()
                .map(
                    group ->
                        new JsonObject()
                            .put("handler", group.handler())
                            .put("error", group.error())
                            .put("letters", group.letters())
                            .put("newest", entries.dead(group.newest())))
                .toList())
        .put("examined", groups.examined())
        .put("complete", groups.complete());
  }

  // --- one message, wherever it is

  JsonObject story(Call call) {
    UUID id = call.uuid("messageId");
    Admin admin = call.admin();
    call.query().end();
    Filter filter = Filter.all().messageId(id);
    Search search = new Search(filter);
    List<JsonObject> ready = search.all(admin::ready, entries::ready);
    List<JsonObject> deferred =
        search.all(
            admin.deferred()::page,
            entry ->
                withPayload(
                    entries.deferred(entry),
                    admin.deferred().find(entry.id()).map(found -> found.message().envelope()),
                    call));
    List<JsonObject> dead =
        search.all(
            admin.deadLetters()::page,
            entry ->
                withPayload(
                    entries.dead(entry),
                    admin.deadLetters().find(entry.id()).map(found -> found.message().envelope()),
                    call));
    List<JsonObject> history = search.all(admin.history()::page, entries::history);
    boolean nowhere = ready.isEmpty() && deferred.isEmpty() && dead.isEmpty() && history.isEmpty();
    if (nowhere && search.complete) {
      throw new RequestProblem(
          404,
          "there is no such message: it was delivered and is not kept (relay.retention), was deleted, or never committed");
    }
    return new JsonObject()
        .put("messageId", id)
        .put("ready", ready)
        .put("deferred", deferred)
        .put("dead", dead)
        .put("history", history)
        .put("complete", search.complete);
  }

  private JsonObject withPayload(JsonObject entry, Optional<Envelope> found, Call call) {
    return found
        .map(envelope -> entry.put("payload", payloads.show(envelope, call.maySeePayloads())))
        .orElse(entry);
  }

  /** Pages examine a bounded number of rows, and so must a search. */
  private static final class Search {
    private final Filter filter;
    private boolean complete = true;

    Search(Filter filter) {
      this.filter = filter;
    }

    <T> List<JsonObject> all(Pages<T> pages, Function<T, JsonObject> item) {
      List<JsonObject> found = new ArrayList<>();
      String cursor = null;
      for (int i = 0; i < MAX_PAGES; i++) {
        Page<T> page = pages.page(filter, cursor, Admin.LONGEST_PAGE);
        page.items().forEach(entry -> found.add(item.apply(entry)));
        cursor = page.cursor();
        if (cursor == null) {
          return found;
        }
      }
      complete = false;
      return found;
    }
  }

  /** Who counts what matches a filter. */
  static BiFunction<Admin, Filter, Count> counter(Scope scope) {
    return switch (scope) {
      case DEAD -> (admin, filter) -> admin.deadLetters().count(filter);
      case DEFERRED -> (admin, filter) -> admin.deferred().count(filter);
      case HISTORY -> (admin, filter) -> admin.history().count(filter);
      case READY -> throw new IllegalArgumentException("nothing is done to ready messages");
    };
  }
}

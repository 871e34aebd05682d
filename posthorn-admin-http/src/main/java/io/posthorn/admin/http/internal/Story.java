/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.Admin;
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.Entry;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.HistoryEntry;
import io.posthorn.Admin.Page;
import io.posthorn.Admin.ReadyMessage;
import io.posthorn.admin.http.internal.Lists.Pages;
import io.posthorn.spi.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Shows one message, wherever it is. */
record Story(Entries entries, Payloads payloads) {
  private static final Pattern PLACE = Pattern.compile("([0-9]{1,9})-(-?[0-9]{1,18})");

  /** Lists without an index of ids are searched so far only. */
  private static final int MAX_PAGES = 20;

  JsonObject tell(Call call) {
    String named = call.variable("message");
    Matcher place = PLACE.matcher(named);
    UUID id = place.matches() ? null : call.uuid("message");
    Admin admin = call.admin();
    call.query().end();
    List<Entry> found =
        id == null
            ? admin.find(Integer.parseInt(place.group(1)), Long.parseLong(place.group(2)))
            : new Search(admin, id).find();
    if (found.isEmpty()) {
      throw new RequestProblem(
          404,
          "there is no such message: it was delivered and is not kept (relay.retention), was deleted, or never committed");
    }
    return story(found, call.maySeePayloads());
  }

  private JsonObject story(List<Entry> found, boolean mayBeSeen) {
    List<JsonObject> ready = new ArrayList<>();
    List<JsonObject> deferred = new ArrayList<>();
    List<JsonObject> dead = new ArrayList<>();
    List<JsonObject> history = new ArrayList<>();
    for (Entry entry : found) {
      if (entry instanceof ReadyMessage message) {
        ready.add(withPayload(entries.ready(message), entry, mayBeSeen));
      } else if (entry instanceof DeferredEntry message) {
        deferred.add(withPayload(entries.deferred(message), entry, mayBeSeen));
      } else if (entry instanceof DeadLetter message) {
        dead.add(withPayload(entries.dead(message), entry, mayBeSeen));
      } else if (entry instanceof HistoryEntry message) {
        history.add(withPayload(entries.history(message), entry, mayBeSeen));
      }
    }
    return new JsonObject()
        .put("messageId", found.get(0).messageId())
        .put("ready", ready)
        .put("deferred", deferred)
        .put("dead", dead)
        .put("history", history);
  }

  private JsonObject withPayload(JsonObject json, Entry entry, boolean mayBeSeen) {
    return json.put("payload", payloads.show(entry.message().envelope(), mayBeSeen));
  }

  /** Finds the place of a message by its id, the cheapest list first. */
  private record Search(Admin admin, UUID id) {
    List<Entry> find() {
      StoredMessage message = in(admin.deadLetters()::page);
      if (message == null) {
        message = in(admin.deferred()::page);
      }
      if (message == null) {
        message = in(admin::ready);
      }
      if (message == null) {
        message = in(admin.history()::page);
      }
      return message == null ? List.of() : admin.find(message.partition(), message.seq());
    }

    private <T extends Entry> @Nullable StoredMessage in(Pages<T> pages) {
      String cursor = null;
      for (int i = 0; i < MAX_PAGES; i++) {
        Page<T> page = pages.page(Filter.all().messageId(id), cursor, 1);
        if (!page.items().isEmpty()) {
          return page.items().get(0).message();
        }
        cursor = page.cursor();
        if (cursor == null) {
          return null;
        }
      }
      throw new RequestProblem(
          422,
          "so much is waiting or kept that this message was not found in time; look for it by type, handler, key or time, or by its place");
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import static java.util.Objects.requireNonNull;

import io.posthorn.ActionRun;
import io.posthorn.Admin.Count;
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.Page;
import io.posthorn.Admin.Resolution;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Kind;
import io.posthorn.AdminAction.Original;
import io.posthorn.DeadLetters;
import io.posthorn.MessageHeaders;
import io.posthorn.internal.publish.Publisher;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.Envelope;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What operators see of dead letters, and do to them. */
final class DeadLetterDesk implements DeadLetters {
  private final Actions actions;
  private final AdminDesk.Setting setting;

  DeadLetterDesk(Actions actions, AdminDesk.Setting setting) {
    this.actions = actions;
    this.setting = setting;
  }

  // --- see

  @Override
  public Page<DeadLetter> page(Filter filter, @Nullable String cursor, int limit) {
    FilteredLists.withoutReason(filter);
    FilteredLists.checkLimit(limit);
    return FilteredLists.page(
        actions.store().deadLetters(filter, Places.parse(cursor, false), limit));
  }

  @Override
  public Count count(Filter filter) {
    FilteredLists.withoutReason(filter);
    AdminStore store = actions.store();
    return FilteredLists.count(place -> store.countDeadLetters(filter, place));
  }

  @Override
  public Optional<DeadLetter> find(EntryId id) {
    return actions.store().deadLetter(requireNonNull(id, "id"));
  }

  @Override
  public Groups groups(@Nullable String handler) {
    List<DeadLetter> latest =
        actions.store().latestDeadLetters(handler, DeadLetters.MAX_ROWS_GROUPED + 1);
    return ErrorGroups.of(latest, DeadLetters.MAX_ROWS_GROUPED);
  }

  // --- act

  @Override
  public AdminAction retry(Collection<EntryId> ids, ActionRun run) {
    return actions.each(Kind.RETRY, ids, run, AdminStore::retry);
  }

  @Override
  public AdminAction retryAll(Filter filter, ActionRun run) {
    return all(Kind.RETRY, filter, run, AdminStore::retry);
  }

  @Override
  public AdminAction resolve(Collection<EntryId> ids, ActionRun run) {
    return actions.each(Kind.RESOLVE, ids, run, this::resolve);
  }

  @Override
  public AdminAction resolveAll(Filter filter, ActionRun run) {
    return all(Kind.RESOLVE, filter, run, this::resolve);
  }

  private List<EntryId> resolve(AdminStore store, Collection<EntryId> ids) {
    Actions.Person person = actions.person();
    return store.remove(
        ids, setting.keepHistory() ? new Resolution(person.who(), person.why()) : null);
  }

  @Override
  public AdminAction delete(Collection<EntryId> ids, ActionRun run) {
    return actions.each(Kind.DELETE, ids, run, (store, batch) -> store.remove(batch, null));
  }

  @Override
  public AdminAction deleteAll(Filter filter, ActionRun run) {
    return all(Kind.DELETE, filter, run, (store, batch) -> store.remove(batch, null));
  }

  private AdminAction all(Kind kind, Filter filter, ActionRun run, Actions.Move move) {
    FilteredLists.withoutReason(filter);
    return actions.all(
        kind, filter, BatchSource.of(AdminStore::deadLetters, filter, false), run, move);
  }

  // --- edit

  @Override
  public AdminAction setHeaders(EntryId id, Map<String, String> headers, ActionRun run) {
    Publisher.problemWith(headers)
        .ifPresent(
            problem -> {
              throw new IllegalArgumentException("Headers not changed: " + problem);
            });
    return edit(
        Kind.EDIT_HEADERS,
        id,
        run,
        (store, was, action) -> {
          Map<String, String> wanted = new HashMap<>(headers);
          wanted.remove(MessageHeaders.EDITED);
          String edited = was.headers().get(MessageHeaders.EDITED);
          if (edited != null) {
            wanted.put(MessageHeaders.EDITED, edited);
          }
          store.setHeaders(id, wanted);
        });
  }

  @Override
  public AdminAction setPayload(EntryId id, byte @Nullable [] payload, ActionRun run) {
    int bytes = payload == null ? 0 : payload.length;
    if (bytes > setting.maxPayloadBytes()) {
      throw new IllegalArgumentException(
          "Payload not changed: it had %d bytes but publish.max-payload-bytes is %d"
              .formatted(bytes, setting.maxPayloadBytes()));
    }
    return edit(
        Kind.EDIT_PAYLOAD,
        id,
        run,
        (store, was, action) -> {
          Map<String, String> headers = new HashMap<>(was.headers());
          headers.putIfAbsent(MessageHeaders.EDITED, action.toString());
          store.setHeaders(id, headers);
          store.setPayload(id, payload);
        });
  }

  private interface Edit {
    void make(AdminStore store, Envelope was, UUID action);
  }

  private AdminAction edit(Kind kind, EntryId id, ActionRun run, Edit edit) {
    return actions.once(
        kind,
        Actions.named(requireNonNull(id, "id")),
        run,
        (store, action) -> {
          Optional<Envelope> found =
              store.lockDeadLetter(id).map(letter -> letter.message().envelope());
          found.ifPresent(
              was -> {
                edit.make(store, was, action);
                store.keepOriginal(action, new Original(was.headers(), was.payload()));
              });
          return found.isPresent();
        });
  }
}

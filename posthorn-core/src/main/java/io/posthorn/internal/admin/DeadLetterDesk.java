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
import java.util.function.Predicate;
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
    FilteredLists.ofDead(filter);
    FilteredLists.checkLimit(limit);
    return FilteredLists.page(
        actions.store().deadLetters(filter, Places.parse(cursor, false), limit));
  }

  @Override
  public Count count(Filter filter) {
    FilteredLists.ofDead(filter);
    AdminStore store = actions.store();
    return FilteredLists.count(place -> store.countDeadLetters(filter, place));
  }

  @Override
  public Count count(Filter filter, Predicate<Count> goesOn) {
    FilteredLists.ofDead(filter);
    AdminStore store = actions.store();
    return FilteredLists.count(place -> store.countDeadLetters(filter, place), goesOn);
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
    return store.remove(ids, new Resolution(person.who(), person.why()));
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
    FilteredLists.ofDead(filter);
    return actions.all(
        kind, filter.toString(), BatchSource.of(AdminStore::deadLetters, filter, false), run, move);
  }

  // --- edit

  @Override
  public AdminAction setHeaders(EntryId id, Map<String, String> headers, ActionRun run) {
    refuseFlaws(headers);
    return edit(
        Kind.EDIT_HEADERS,
        id,
        ContentDigest.of(run.id()).add(headers).text(),
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
  public AdminAction editHeaders(Collection<EntryId> ids, HeaderEdit edit, ActionRun run) {
    return actions.each(Kind.EDIT_HEADERS, ids, shown(edit, run) + " in ", run, checked(edit));
  }

  @Override
  public AdminAction editAllHeaders(Filter filter, HeaderEdit edit, ActionRun run) {
    FilteredLists.ofDead(filter);
    return actions.all(
        Kind.EDIT_HEADERS,
        shown(edit, run) + " in " + filter,
        BatchSource.of(AdminStore::deadLetters, filter, false),
        run,
        checked(edit));
  }

  /** Values may be secret, but those of a repetition must be the same. */
  private static String shown(HeaderEdit edit, ActionRun run) {
    return edit + " " + ContentDigest.of(run.id()).add(edit.set()).text();
  }

  private static Actions.Move checked(HeaderEdit edit) {
    if (edit.set().isEmpty() && edit.remove().isEmpty()) {
      throw new IllegalArgumentException("Headers not changed: none is to be set or removed");
    }
    if (edit.set().containsKey(MessageHeaders.EDITED)
        || edit.remove().contains(MessageHeaders.EDITED)) {
      throw new IllegalArgumentException(
          "Headers not changed: %s tells which action has edited a payload; leave it out"
              .formatted(MessageHeaders.EDITED));
    }
    refuseFlaws(edit.set());
    return (store, ids) -> store.editHeaders(ids, was -> edited(was, edit));
  }

  private static @Nullable Map<String, String> edited(Map<String, String> was, HeaderEdit edit) {
    Map<String, String> wanted = new HashMap<>(was);
    wanted.keySet().removeAll(edit.remove());
    wanted.putAll(edit.set());
    return Publisher.problemWith(wanted).isPresent() ? null : wanted;
  }

  private static void refuseFlaws(Map<String, String> headers) {
    Publisher.problemWith(headers)
        .ifPresent(
            problem -> {
              throw new IllegalArgumentException("Headers not changed: " + problem);
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
        ContentDigest.of(run.id()).add(payload).text(),
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

  private AdminAction edit(Kind kind, EntryId id, String content, ActionRun run, Edit edit) {
    return actions.once(
        kind,
        Actions.named(requireNonNull(id, "id")) + " " + content,
        run,
        (store, action) -> {
          Optional<Envelope> found =
              store.lockDeadLetter(id).map(letter -> letter.message().envelope());
          found.ifPresent(
              was -> {
                refuseUnreadable(id, was.headers());
                edit.make(store, was, action);
                store.keepOriginal(action, new Original(was.headers(), was.payload()));
              });
          return found.isPresent();
        });
  }

  private static void refuseUnreadable(EntryId id, Map<String, String> headers) {
    String problem = headers.get(MessageHeaders.UNREADABLE);
    if (problem != null) {
      throw new IllegalArgumentException(
          "Dead letter %s not changed: its %s, and an edit would lose them; repair the column headers of its row in outbox_dead first"
              .formatted(Actions.named(id), problem));
    }
  }
}

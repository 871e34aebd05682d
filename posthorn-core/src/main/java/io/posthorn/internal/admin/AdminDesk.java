/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import static java.util.Objects.requireNonNull;

import io.posthorn.ActionLog;
import io.posthorn.Admin;
import io.posthorn.DatabaseHealth;
import io.posthorn.DeadLetters;
import io.posthorn.DeferredMessages;
import io.posthorn.DeliveryHistory;
import io.posthorn.Fleet;
import io.posthorn.Lanes;
import io.posthorn.internal.admin.Actions.Person;
import io.posthorn.internal.run.Listeners;
import io.posthorn.spi.AdminStore;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where operators begin: one desk for each thing that they see and steer. */
public final class AdminDesk implements Admin {
  private static final Person UNKNOWN = new Person("unknown", null);
  private static final int LONGEST_WHO = 100;
  private static final int LONGEST_WHY = 1_000;

  private final Supplier<AdminStore> stores;
  private final Setting setting;
  private final Actions actions;

  /**
   * What the desks need beside the store.
   *
   * @param partitions how many there are; may open the store
   * @param maxPayloadBytes of an edited message
   * @param touched told of partitions whose deferred rows have changed
   * @param steered told when something was paused, resumed or forgotten
   * @param recent what {@link Fleet#recent} returns
   * @param listeners told of what was done to messages
   */
  public record Setting(
      IntSupplier partitions,
      int maxPayloadBytes,
      Consumer<BitSet> touched,
      Runnable steered,
      Supplier<List<Fleet.Sample>> recent,
      Listeners listeners) {}

  /**
   * @param stores asked at each use, never before: the first may open the store
   */
  public AdminDesk(Supplier<AdminStore> stores, Setting setting) {
    this(stores, setting, UNKNOWN);
  }

  private AdminDesk(Supplier<AdminStore> stores, Setting setting, Person person) {
    this.stores = stores;
    this.setting = setting;
    this.actions = new Actions(stores, setting, person);
  }

  @Override
  public Admin as(String who, @Nullable String why) {
    requireNonNull(who, "who");
    if (who.isBlank() || who.length() > LONGEST_WHO) {
      throw new IllegalArgumentException(
          "who had %d characters but must have 1 to %d, not all blank"
              .formatted(who.length(), LONGEST_WHO));
    }
    if (why != null && why.length() > LONGEST_WHY) {
      throw new IllegalArgumentException(
          "why had %d characters but must have %d at the most"
              .formatted(why.length(), LONGEST_WHY));
    }
    return new AdminDesk(stores, setting, new Person(who, why));
  }

  @Override
  public Page<ReadyMessage> ready(Filter filter, @Nullable String cursor, int limit) {
    FilteredLists.ofReady(filter);
    if (filter.handler() != null) {
      throw new IllegalArgumentException(
          "handler was \"%s\" but a ready message is for all that take its type; leave it out"
              .formatted(filter.handler()));
    }
    FilteredLists.checkLimit(limit);
    return FilteredLists.page(stores.get().ready(filter, Places.parse(cursor, false), limit));
  }

  @Override
  public List<Entry> find(int partition, long seq) {
    return stores.get().find(partition, seq);
  }

  @Override
  public DeadLetters deadLetters() {
    return new DeadLetterDesk(actions, setting);
  }

  @Override
  public DeferredMessages deferred() {
    return new DeferredDesk(actions);
  }

  @Override
  public DeliveryHistory history() {
    return new HistoryDesk(actions);
  }

  @Override
  public Lanes lanes() {
    return new LaneDesk(actions, setting);
  }

  @Override
  public Fleet fleet() {
    return new FleetDesk(actions, setting);
  }

  @Override
  public ActionLog actions() {
    return new ActionDesk(stores);
  }

  @Override
  public Survey survey(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit was %d but must be at least 1".formatted(limit));
    }
    return stores.get().survey(limit);
  }

  @Override
  public DatabaseHealth databaseHealth(Duration patience) {
    if (requireNonNull(patience, "patience").isNegative()) {
      throw new IllegalArgumentException(
          "patience was %s but must not be negative".formatted(patience));
    }
    return stores.get().databaseHealth(patience);
  }
}

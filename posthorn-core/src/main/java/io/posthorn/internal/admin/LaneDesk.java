/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import static java.util.Objects.requireNonNull;

import io.posthorn.ActionRun;
import io.posthorn.Admin.EntryId;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.Kind;
import io.posthorn.Lanes;
import io.posthorn.internal.publish.Publisher;
import io.posthorn.spi.LaneId;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What operators do to lanes. */
final class LaneDesk implements Lanes {
  private static final String SKIPPED = "skipped by an operator";

  private final Actions actions;
  private final AdminDesk.Setting setting;

  LaneDesk(Actions actions, AdminDesk.Setting setting) {
    this.actions = actions;
    this.setting = setting;
  }

  @Override
  public Optional<EntryId> skipHead(String handler, String key) {
    AtomicReference<@Nullable EntryId> skipped = new AtomicReference<>();
    skipHead(lane(handler, key), ActionRun.once(), skipped);
    return Optional.ofNullable(skipped.get());
  }

  @Override
  public AdminAction skipHead(String handler, String key, ActionRun run) {
    return skipHead(lane(handler, key), run, new AtomicReference<>());
  }

  private AdminAction skipHead(
      LaneId lane, ActionRun run, AtomicReference<@Nullable EntryId> skipped) {
    AdminAction done =
        actions.once(
            Kind.SKIP,
            named(lane),
            run,
            (store, action) -> {
              skipped.set(store.skipHead(lane, SKIPPED).orElse(null));
              return skipped.get() != null;
            });
    EntryId id = skipped.get();
    if (id != null) {
      actions.tell(Kind.SKIP, List.of(id));
    }
    return done;
  }

  @Override
  public AdminAction block(String handler, String key, ActionRun run) {
    FleetDesk.checkName(requireNonNull(handler, "handler"));
    LaneId lane = lane(handler, key);
    return touched(
        lane, actions.once(Kind.BLOCK, named(lane), run, (store, action) -> store.block(lane)));
  }

  @Override
  public AdminAction unblock(String handler, String key, ActionRun run) {
    LaneId lane = lane(handler, key);
    return touched(
        lane,
        actions.once(Kind.UNBLOCK, named(lane), run, (store, action) -> store.unblock(lane) > 0));
  }

  private LaneId lane(String handler, String key) {
    requireNonNull(handler, "handler");
    requireNonNull(key, "key");
    return new LaneId(Publisher.partitionOf(key, setting.partitions().getAsInt()), handler, key);
  }

  private static String named(LaneId lane) {
    return "handler %s, key %s".formatted(lane.handler(), lane.key());
  }

  private AdminAction touched(LaneId lane, AdminAction done) {
    if (done.entries() > 0) {
      BitSet partition = new BitSet();
      partition.set(lane.partition());
      setting.touched().accept(partition);
    }
    return done;
  }
}

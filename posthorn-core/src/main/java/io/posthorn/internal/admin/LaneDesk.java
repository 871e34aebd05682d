/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import static java.util.Objects.requireNonNull;

import io.posthorn.Admin.EntryId;
import io.posthorn.AdminAction.Kind;
import io.posthorn.Lanes;
import io.posthorn.internal.publish.Publisher;
import io.posthorn.spi.LaneId;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** What operators do to lanes. */
final class LaneDesk implements Lanes {
  static final String SKIPPED = "skipped by an operator";

  private final Actions actions;
  private final AdminDesk.Setting setting;

  LaneDesk(Actions actions, AdminDesk.Setting setting) {
    this.actions = actions;
    this.setting = setting;
  }

  @Override
  public Optional<EntryId> skipHead(String handler, String key) {
    LaneId lane = lane(handler, key);
    Optional<EntryId> skipped =
        actions.once(
            Kind.SKIP,
            named(lane),
            (store, action) -> store.skipHead(lane, SKIPPED),
            Optional::isPresent);
    skipped.ifPresent(id -> actions.tell(Kind.SKIP, List.of(id)));
    return skipped;
  }

  @Override
  public boolean block(String handler, String key) {
    FleetDesk.checkName(requireNonNull(handler, "handler"));
    LaneId lane = lane(handler, key);
    return touched(
        lane,
        actions.once(
            Kind.BLOCK, named(lane), (store, action) -> store.block(lane), blocked -> blocked));
  }

  @Override
  public boolean unblock(String handler, String key) {
    LaneId lane = lane(handler, key);
    return touched(
        lane,
        actions.once(
            Kind.UNBLOCK,
            named(lane),
            (store, action) -> store.unblock(lane) > 0,
            unblocked -> unblocked));
  }

  private LaneId lane(String handler, String key) {
    requireNonNull(handler, "handler");
    requireNonNull(key, "key");
    return new LaneId(Publisher.partitionOf(key, setting.partitions().getAsInt()), handler, key);
  }

  private static String named(LaneId lane) {
    return "handler %s, key %s".formatted(lane.handler(), lane.key());
  }

  private boolean touched(LaneId lane, boolean changed) {
    if (changed) {
      BitSet partition = new BitSet();
      partition.set(lane.partition());
      setting.touched().accept(partition);
    }
    return changed;
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import static java.util.Objects.requireNonNull;

import io.posthorn.ActionLog;
import io.posthorn.Admin.Page;
import io.posthorn.AdminAction;
import io.posthorn.spi.AdminStore;
import io.posthorn.spi.AdminStore.ActionPlace;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What operators did. */
record ActionDesk(Supplier<AdminStore> stores) implements ActionLog {
  @Override
  public Page<AdminAction> page(@Nullable String cursor, int limit) {
    FilteredLists.checkLimit(limit);
    List<AdminAction> found = stores.get().actions(Places.parseAction(cursor), limit + 1);
    if (found.size() <= limit) {
      return new Page<>(found, null);
    }
    AdminAction last = found.get(limit - 1);
    return new Page<>(
        found.subList(0, limit), Places.text(new ActionPlace(last.startedAt(), last.id())));
  }

  @Override
  public Optional<AdminAction> find(UUID id) {
    return stores.get().action(requireNonNull(id, "id"));
  }

  @Override
  public boolean stop(UUID id) {
    return stores.get().stopAction(requireNonNull(id, "id"));
  }
}

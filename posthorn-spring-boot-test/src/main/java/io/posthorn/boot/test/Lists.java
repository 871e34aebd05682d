/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import io.posthorn.Admin;
import io.posthorn.Admin.DeadLetter;
import io.posthorn.Admin.DeferredEntry;
import io.posthorn.Admin.Filter;
import io.posthorn.Admin.Page;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All pages of a list. */
final class Lists {
  private Lists() {}

  private interface Pages<T> {
    Page<T> page(@Nullable String cursor);
  }

  static List<DeadLetter> deadLetters(Admin admin) {
    return all(cursor -> admin.deadLetters().page(Filter.all(), cursor, Admin.LONGEST_PAGE));
  }

  static List<DeferredEntry> deferred(Admin admin) {
    return all(cursor -> admin.deferred().page(Filter.all(), cursor, Admin.LONGEST_PAGE));
  }

  private static <T> List<T> all(Pages<T> pages) {
    Page<T> page = pages.page(null);
    List<T> items = new ArrayList<>(page.items());
    while (page.cursor() != null) {
      page = pages.page(page.cursor());
      items.addAll(page.items());
    }
    return List.copyOf(items);
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * What one transaction of the order service is going to do.
 *
 * @param customer null: a guest
 * @param orders how many it places, each with a message
 * @param savepoint whether it also places one that it takes back by a savepoint
 * @param commit false: it rolls back in the end
 */
record OrderPlan(
    @Nullable String customer, int orders, boolean savepoint, boolean poisoned, boolean commit) {
  private static final int GUEST_PERCENT = 10;
  private static final int SEVERAL_PERCENT = 10;
  private static final int SEVERAL = 3;
  private static final int SAVEPOINT_PERCENT = 3;
  private static final int ROLL_BACK_PERCENT = 5;

  /** One order that no mail can be sent about. */
  static OrderPlan poison() {
    return new OrderPlan(anyCustomer(), 1, false, true, true);
  }

  static OrderPlan random() {
    return new OrderPlan(
        happens(GUEST_PERCENT) ? null : anyCustomer(),
        happens(SEVERAL_PERCENT) ? SEVERAL : 1,
        happens(SAVEPOINT_PERCENT),
        false,
        !happens(ROLL_BACK_PERCENT));
  }

  private static String anyCustomer() {
    return "customer-" + ThreadLocalRandom.current().nextInt(1, DemoTables.CUSTOMERS + 1);
  }

  private static boolean happens(int percent) {
    return ThreadLocalRandom.current().nextInt(100) < percent;
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

class H2InboxTableTest extends InboxTableContract {
  @Override
  TestDatabase database() {
    return TestDatabase.h2();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.inbox;

class PostgresInboxDbTest extends InboxContract {
  @Override
  TestDatabase database() {
    return TestDatabase.postgres();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.promise;

import io.posthorn.jdbc.fixture.TestDatabase;

class H2ExactlyOnceTest extends ExactlyOnceContract {
  @Override
  protected TestDatabase openDatabase() {
    return TestDatabase.h2();
  }
}

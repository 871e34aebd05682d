/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

class InMemoryActionContractTest extends ActionContract {
  @Override
  protected StoreUnderTest open() {
    return new InMemoryStoreUnderTest();
  }
}

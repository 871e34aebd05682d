/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** What a method with {@code @Transactional(rollbackFor = Exception.class)} does. */
final class SpringScope {
  private final PlatformTransactionManager manager;

  SpringScope(PlatformTransactionManager manager) {
    this.manager = manager;
  }

  interface Work {
    void run() throws Exception;
  }

  void inTransaction(Work work) throws Exception {
    TransactionStatus status = manager.getTransaction(new DefaultTransactionDefinition());
    try {
      work.run();
    } catch (Exception e) {
      manager.rollback(status);
      throw e;
    }
    manager.commit(status);
  }
}

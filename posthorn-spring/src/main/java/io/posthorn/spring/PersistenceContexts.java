/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import jakarta.persistence.EntityManager;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The persistence contexts of the current transaction; loaded only where there is JPA. */
final class PersistenceContexts {
  private PersistenceContexts() {}

  static boolean areThere() {
    return TransactionSynchronizationManager.getResourceMap().values().stream()
        .anyMatch(EntityManagerHolder.class::isInstance);
  }

  /** Writes their changes, and so waits for other writers of the same rows. */
  static void flush() {
    for (Object resource : TransactionSynchronizationManager.getResourceMap().values()) {
      if (resource instanceof EntityManagerHolder holder
          && holder.isSynchronizedWithTransaction()
          && holder.getEntityManager().isOpen()) {
        holder.getEntityManager().flush();
      }
    }
  }

  /** Rolls back and closes what a transaction that nobody ended has left on the thread. */
  static void rollBack(Object resource) {
    if (resource instanceof EntityManagerHolder holder && holder.getEntityManager().isOpen()) {
      try (EntityManager context = holder.getEntityManager()) {
        if (context.isJoinedToTransaction() && context.getTransaction().isActive()) {
          context.getTransaction().rollback();
        }
      }
    }
  }
}

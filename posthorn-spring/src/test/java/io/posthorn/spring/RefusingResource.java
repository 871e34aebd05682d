/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** Takes part in a JTA transaction, and when all are ready to commit says that it cannot. */
final class RefusingResource implements XAResource {
  private boolean asked;

  void join(TransactionManager jta) {
    try {
      jta.getTransaction().enlistResource(this);
    } catch (SystemException | RollbackException e) {
      throw new IllegalStateException(e);
    }
  }

  boolean wasAsked() {
    return asked;
  }

  @Override
  public int prepare(Xid xid) throws XAException {
    asked = true;
    throw new XAException(XAException.XA_RBROLLBACK);
  }

  @Override
  public void commit(Xid xid, boolean onePhase) {
    throw new IllegalStateException("nobody was told that it can commit");
  }

  @Override
  public void start(Xid xid, int flags) {}

  @Override
  public void end(Xid xid, int flags) {}

  @Override
  public void rollback(Xid xid) {}

  @Override
  public void forget(Xid xid) {}

  @Override
  public Xid[] recover(int flag) {
    return new Xid[0];
  }

  @Override
  public boolean isSameRM(XAResource other) {
    return other == this;
  }

  @Override
  public int getTransactionTimeout() {
    return 0;
  }

  @Override
  public boolean setTransactionTimeout(int seconds) {
    return false;
  }
}

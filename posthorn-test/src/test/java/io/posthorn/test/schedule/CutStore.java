/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import io.posthorn.spi.MessageStore;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.StoreException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * A store whose answers to a relay are sometimes lost, and its questions too; that refuses to store
 * outcomes; or takes its time, while others act.
 */
final class CutStore {
  /** Whoever comes or goes in vain is a matter of its own: he leaves a life that nobody leads. */
  private static final Set<String> WHOLE =
      Set.of("wakeChannel", "join", "retire", "leave", "close");

  /** What duties call without a lock of theirs. */
  private static final Set<String> SLOW =
      Set.of("read", "readDue", "findReady", "deferredHandlers", "settle");

  private final MessageStore store;
  private final BooleanSupplier cut;
  private final BooleanSupplier refused;
  private final Runnable meanwhile;

  /**
   * @param cut asked before and after each call
   * @param refused asked before a relay stores outcomes
   * @param meanwhile called while a question of a read or settle duty is on its way, and while its
   *     answer is
   */
  CutStore(MessageStore store, BooleanSupplier cut, BooleanSupplier refused, Runnable meanwhile) {
    this.store = store;
    this.cut = cut;
    this.refused = refused;
    this.meanwhile = meanwhile;
  }

  MessageStore wrapped() {
    return proxy(MessageStore.class, store, Set.of("settle"));
  }

  private <T> T proxy(Class<T> type, T target, Set<String> cuttable) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              boolean whole =
                  cuttable.isEmpty()
                      ? WHOLE.contains(method.getName())
                      : !cuttable.contains(method.getName());
              try {
                perhapsCut(whole);
                if (cuttable.isEmpty() && method.getName().equals("settle")) {
                  perhapsRefuse();
                }
                boolean slow = cuttable.isEmpty() && SLOW.contains(method.getName());
                perhapsTakeTime(slow);
                Object result = method.invoke(target, arguments);
                perhapsTakeTime(slow);
                perhapsCut(whole);
                return result instanceof RelayStore relay
                    ? proxy(RelayStore.class, relay, Set.of())
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private void perhapsCut(boolean whole) {
    if (!whole && cut.getAsBoolean()) {
      throw StoreException.unavailable("cut", null);
    }
  }

  private void perhapsTakeTime(boolean slow) {
    if (slow) {
      meanwhile.run();
    }
  }

  private void perhapsRefuse() {
    if (refused.getAsBoolean()) {
      throw new StoreException(StoreException.Kind.UNKNOWN, "refused", null);
    }
  }
}

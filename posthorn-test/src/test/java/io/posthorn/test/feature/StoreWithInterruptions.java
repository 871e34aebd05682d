/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import io.posthorn.spi.AdminStore;
import io.posthorn.spi.MessageStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;

/** A store with which something else happens after each batch of dead letters that is retried. */
final class StoreWithInterruptions {
  private final MessageStore store;
  private final List<Runnable> meanwhile;
  private int interruptions;

  StoreWithInterruptions(MessageStore store, List<Runnable> meanwhile) {
    this.store = store;
    this.meanwhile = meanwhile;
  }

  int interruptions() {
    return interruptions;
  }

  MessageStore wrapped() {
    return proxy(MessageStore.class, store);
  }

  private <T> T proxy(Class<T> type, T target) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (any, method, arguments) -> {
              try {
                Object result = method.invoke(target, arguments);
                if (method.getName().equals("together")) {
                  interruptions++; // more than ten: nobody ends the loop
                  if (interruptions <= 10) {
                    meanwhile.forEach(Runnable::run);
                  }
                }
                return result instanceof AdminStore admin ? proxy(AdminStore.class, admin) : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }
}

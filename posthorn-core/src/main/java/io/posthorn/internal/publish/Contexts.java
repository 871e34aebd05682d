/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import io.posthorn.Message;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.spi.ContextProvider;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Adds the headers of context providers, and keeps the failures of these from the caller. */
final class Contexts {
  private final List<ContextProvider> providers;
  private final FailureLog failures;

  Contexts(List<ContextProvider> providers, FailureLog failures) {
    this.providers = List.copyOf(providers);
    this.failures = failures;
  }

  /** The message with the headers of all providers; its own win, and later providers. */
  Message enrich(Message message) {
    if (providers.isEmpty()) {
      return message;
    }
    Map<String, String> headers = new HashMap<>();
    for (ContextProvider provider : providers) {
      headers.putAll(headersOf(provider, message));
    }
    headers.putAll(message.headers());
    return message.toBuilder().headers(headers).build();
  }

  private Map<String, String> headersOf(ContextProvider provider, Message message) {
    try {
      Map<String, String> headers = Map.copyOf(provider.headers(message));
      HeaderFlaw.in(headers)
          .ifPresent(
              flaw -> {
                throw new IllegalArgumentException("headers left out: " + flaw.found());
              });
      return headers;
    } catch (RuntimeException | Error e) { // the user's code
      failures.callFailed("context provider " + provider.getClass().getName(), e);
      return Map.of();
    }
  }
}

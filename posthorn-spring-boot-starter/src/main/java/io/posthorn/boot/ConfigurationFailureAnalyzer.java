/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.ConfigurationException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells what is wrong with the configuration without a stack trace. */
final class ConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<ConfigurationException> {
  @Override
  protected @Nullable FailureAnalysis analyze(Throwable rootFailure, ConfigurationException cause) {
    String message = String.valueOf(cause.getMessage());
    return new FailureAnalysis("The outbox cannot be set up: " + message, action(message), cause);
  }

  private static String action(String message) {
    if (message.contains("tables are missing")) {
      return "Run the script with your migrations, or set posthorn.store.create-tables=true";
    }
    if (message.contains("inbox's table is missing")) {
      return "Run the script with your migrations, or set posthorn.inbox.create-tables=true";
    }
    if (message.contains("no handler was registered")) {
      return "Annotate a method of a bean with @OutboxHandler, or, if another process delivers, set posthorn.publish-only=true";
    }
    return "Correct what is named above. Settings of the outbox are properties under \"posthorn\"";
  }
}

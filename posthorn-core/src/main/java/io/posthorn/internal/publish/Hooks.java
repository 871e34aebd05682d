/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import io.posthorn.Message;
import io.posthorn.PublishException;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.PublishHook;
import io.posthorn.spi.Transaction;
import java.util.List;
import java.util.function.Consumer;

/** Calls publish hooks: lets them veto before, and keeps their failures to itself afterwards. */
final class Hooks {
  private final List<PublishHook> hooks;
  private final FailureLog failures;

  Hooks(List<PublishHook> hooks, FailureLog failures) {
    this.hooks = List.copyOf(hooks);
    this.failures = failures;
  }

  /** The message as the hooks let it pass. */
  Message before(Message given) {
    Message message = given;
    for (PublishHook hook : hooks) {
      message = before(hook, message);
    }
    return message;
  }

  private static Message before(PublishHook hook, Message message) {
    Message passed;
    try {
      passed = hook.beforePublish(message);
    } catch (PublishException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new PublishException(
          "Message of type \"%s\" not published: the publish hook %s refused it: %s"
              .formatted(message.type(), hook.getClass().getName(), e.getMessage()),
          e);
    }
    if (passed == null) {
      throw new PublishException(
          "Message of type \"%s\" not published: the publish hook %s returned null; it must return the message, or throw to veto"
              .formatted(message.type(), hook.getClass().getName()));
    }
    return passed;
  }

  /** Remembers what was published, to tell the hooks at the end of the transaction. */
  void published(Transaction transaction, List<NewMessage> messages) {
    if (!hooks.isEmpty()) {
      transaction
          .attachment(this, PublishedMessages.class, () -> new PublishedMessages(transaction, this))
          .add(messages.stream().map(NewMessage::envelope).toList());
    }
  }

  void committed(List<Envelope> messages) {
    tell(messages, hook -> hook.afterCommit(messages));
  }

  void rolledBack(List<Envelope> messages) {
    tell(messages, hook -> hook.afterRollback(messages));
  }

  private void tell(List<Envelope> messages, Consumer<PublishHook> event) {
    if (messages.isEmpty()) {
      return;
    }
    for (PublishHook hook : hooks) {
      try {
        event.accept(hook);
      } catch (RuntimeException | Error e) { // the user's code; the transaction is over
        failures.callFailed("publish hook " + hook.getClass().getName(), e);
      }
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.PosthornException;
import java.util.Optional;
import org.springframework.messaging.Message;

/**
 * The id of the message that came in a {@link Message} of Spring's: the header that Posthorn sends,
 * otherwise that of CloudEvents, otherwise the message id of AMQP. Spring's own header {@code id}
 * is not used, since it is another one at each delivery.
 *
 * @since 0.1
 */
public final class SpringMessageId {
  /** As Spring AMQP maps the property of that name. */
  private static final String AMQP_MESSAGE_ID = "amqp_messageId";

  private SpringMessageId() {}

  /**
   * @throws PosthornException if the message has no id that can be read
   */
  public static String of(Message<?> message) {
    Object amqp = message.getHeaders().get(AMQP_MESSAGE_ID);
    return IdHeaders.find(message.getHeaders())
        .or(() -> Optional.ofNullable(amqp).map(Object::toString))
        .orElseThrow(
            () ->
                new PosthornException(
                    "A message with the headers %s has no message id: none of %s is there. Have the sender set one, or call the inbox with an id from the message's content"
                        .formatted(message.getHeaders().keySet(), IdHeaders.NAMES)));
  }
}

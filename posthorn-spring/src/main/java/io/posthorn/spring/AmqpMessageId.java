/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.PosthornException;
import java.util.Optional;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;

/**
 * The id of the message that came in a {@link Message} of Spring AMQP's: the header that Posthorn
 * sends, otherwise that of CloudEvents, otherwise the property {@code messageId}.
 *
 * @since 0.1
 */
public final class AmqpMessageId {
  private AmqpMessageId() {}

  /**
   * @throws PosthornException if the message has no id that can be read
   */
  public static String of(Message message) {
    MessageProperties properties = message.getMessageProperties();
    return IdHeaders.find(properties.getHeaders())
        .or(() -> Optional.ofNullable(properties.getMessageId()))
        .orElseThrow(
            () ->
                new PosthornException(
                    "The message with delivery tag %d of queue \"%s\" has no message id: neither one of the headers %s nor the property messageId is there. Have the sender set one, or call the inbox with an id from the message's content"
                        .formatted(
                            properties.getDeliveryTag(),
                            properties.getConsumerQueue(),
                            IdHeaders.NAMES)));
  }
}

/** Sends messages to RabbitMQ. */
@NullMarked
package io.posthorn.rabbitmq;

import org.jspecify.annotations.NullMarked;

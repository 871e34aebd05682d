/** Sends messages to Kafka. */
@NullMarked
package io.posthorn.kafka;

import org.jspecify.annotations.NullMarked;

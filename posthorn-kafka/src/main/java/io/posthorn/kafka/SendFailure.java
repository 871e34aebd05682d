/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.kafka;

import io.posthorn.DestinationDownException;
import io.posthorn.PosthornException;
import io.posthorn.RefusedException;
import java.util.Set;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** What a failure of Kafka means. */
final class SendFailure {
  /** Sending the same once more leads to the same. */
  private static final Set<Class<? extends Exception>> FOR_GOOD =
      Set.of(
          RecordTooLargeException.class,
          RecordBatchTooLargeException.class,
          InvalidTopicException.class,
          InvalidRecordException.class,
          PolicyViolationException.class,
          SerializationException.class);

  /** Of one topic, whatever the others are doing. */
  private static final Set<Class<? extends Exception>> OF_TOPIC =
      Set.of(NotEnoughReplicasException.class, NotEnoughReplicasAfterAppendException.class);

  /** All that is under way fails, or will. */
  private static final Set<Class<? extends Exception>> ENDS_PRODUCER =
      Set.of(
          ClusterAuthorizationException.class,
          InvalidProducerEpochException.class,
          OutOfOrderSequenceException.class,
          ProducerFencedException.class,
          UnknownProducerIdException.class);

  private SendFailure() {}

  /** Whether a new producer is needed. */
  static boolean endsProducer(Exception failure) {
    return isOne(failure, ENDS_PRODUCER) || failure instanceof IllegalStateException;
  }

  /** Whether it was under way when its producer ended. */
  private static boolean endedWithProducer(Exception failure) {
    return endsProducer(failure) || failure.getClass() == KafkaException.class;
  }

  private static boolean isOne(Exception failure, Set<Class<? extends Exception>> of) {
    return of.stream().anyMatch(type -> type.isInstance(failure));
  }

  /**
   * The failure as a relay understands it.
   *
   * @param stuck what is unavailable if it is not Kafka as a whole: the topic, or one partition if
   *     others of the topic take messages
   * @param answers whether Kafka has said anything since this one was sent
   */
  static Exception told(String topic, String stuck, Exception failure, boolean answers) {
    if (isOne(failure, FOR_GOOD)) {
      return new RefusedException(
          "Kafka refuses it for topic \"" + topic + "\"" + why(failure), failure);
    }
    if (failure instanceof TopicAuthorizationException) {
      return DestinationDownException.of(
          topic,
          "not authorised to write to topic \"%s\": grant the producer's user the operation WRITE on it%s"
              .formatted(topic, why(failure)),
          failure);
    }
    if (failure instanceof ClusterAuthorizationException) {
      return new DestinationDownException(
          "not authorised: grant the producer's user the operation IDEMPOTENT_WRITE on the cluster, or WRITE on a topic"
              + why(failure),
          failure);
    }
    if (isMissingTopic(failure)) {
      return missingTopic(topic, failure);
    }
    if (failure instanceof InterruptException) {
      return failure;
    }
    if (isOne(failure, OF_TOPIC) || (answers && failure instanceof RetriableException)) {
      return DestinationDownException.of(
          stuck, "\"" + stuck + "\" is unavailable" + why(failure), failure);
    }
    if (endedWithProducer(failure)) { // also if topics share it: each message names its own
      return DestinationDownException.of(
          topic, "the producer of topic \"" + topic + "\" has ended" + why(failure), failure);
    }
    return failure instanceof RetriableException || failure instanceof AuthenticationException
        ? new DestinationDownException("Kafka cannot be reached" + why(failure), failure)
        : new PosthornException(
            "Kafka did not take it for topic \"" + topic + "\"" + why(failure), failure);
  }

  static boolean isMissingTopic(Exception failure) {
    return failure.getCause() instanceof UnknownTopicOrPartitionException
        || failure instanceof UnknownTopicOrPartitionException;
  }

  /**
   * @param failure null if it was found out by another message
   */
  static DestinationDownException missingTopic(String topic, @Nullable Exception failure) {
    return DestinationDownException.of(
        topic,
        "Kafka has no topic \"" + topic + "\": create it, or let brokers create topics",
        failure);
  }

  private static String why(Exception failure) {
    return ": " + failure.getClass().getSimpleName() + ", " + failure.getMessage();
  }
}

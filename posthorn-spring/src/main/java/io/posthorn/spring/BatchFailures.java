/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.PosthornException;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.util.ClassUtils;

/**
 * Which message of a batch failed, in the words of Spring Kafka: its containers commit what comes
 * before that one.
 */
final class BatchFailures {
  static final String EXCEPTION = "org.springframework.kafka.listener.BatchListenerFailedException";

  private static final boolean KNOWN =
      ClassUtils.isPresent(EXCEPTION, BatchFailures.class.getClassLoader());

  private BatchFailures() {}

  /** Whether there is a container that can be told that this one failed. */
  static boolean canBeTold(Object message) {
    return KNOWN && ReceivedMessage.isOfKafka(message);
  }

  /** Whether something that was thrown says so, itself or by one of its causes. */
  static boolean isOne(Throwable thrown) {
    return KNOWN && Kafka.find(thrown) != null;
  }

  /**
   * Which message it was.
   *
   * @throws PosthornException if it was none of these
   */
  static Object find(Throwable thrown, List<?> handed) {
    int index = Kafka.indexOf(Kafka.find(thrown), handed);
    if (index < 0) {
      throw ofAll(
          "the listener says that a message failed which it was not given; count in the list that it was given",
          thrown);
    }
    return handed.get(index);
  }

  /** One of the whole batch: nothing of it may be committed. */
  static PosthornException ofAll(String reason, Throwable thrown) {
    Throwable cause = isOne(thrown) ? Kafka.causeOf(thrown) : thrown;
    PosthornException all =
        new PosthornException("No message of the batch was handled: " + reason, cause);
    all.addSuppressed(thrown);
    return all;
  }

  static RuntimeException at(int index, List<?> received, Throwable cause) {
    return Kafka.at(index, received, cause);
  }

  /** Loaded where there is Spring Kafka. */
  private static final class Kafka {
    private static final int MAX_CAUSES = 50;

    static @Nullable BatchListenerFailedException find(Throwable thrown) {
      Throwable next = thrown;
      for (int i = 0; i < MAX_CAUSES && next != null; i++) {
        if (next instanceof BatchListenerFailedException failed) {
          return failed;
        }
        next = next.getCause();
      }
      return null;
    }

    static @Nullable Throwable causeOf(Throwable thrown) {
      BatchListenerFailedException failed = find(thrown);
      return failed == null ? null : failed.getCause();
    }

    static int indexOf(@Nullable BatchListenerFailedException thrown, List<?> handed) {
      ConsumerRecord<?, ?> record = thrown == null ? null : thrown.getRecord();
      if (record == null) {
        return thrown == null || thrown.getIndex() >= handed.size() ? -1 : thrown.getIndex();
      }
      for (int i = 0; i < handed.size(); i++) {
        if (handed.get(i) instanceof ConsumerRecord<?, ?> one && same(one, record)) {
          return i;
        }
      }
      return -1;
    }

    private static boolean same(ConsumerRecord<?, ?> one, ConsumerRecord<?, ?> other) {
      return one.offset() == other.offset()
          && one.partition() == other.partition()
          && one.topic().equals(other.topic());
    }

    static RuntimeException at(int index, List<?> received, Throwable cause) {
      Throwable reason = cause instanceof BatchListenerFailedException ? cause.getCause() : cause;
      String text =
          "message %d of %d failed: %s".formatted(index, received.size(), cause.getMessage());
      return received.get(index) instanceof ConsumerRecord<?, ?> record
          ? new BatchListenerFailedException(text, reason, record)
          : new BatchListenerFailedException(text, reason, index);
    }
  }
}

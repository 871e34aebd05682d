/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/** The stand-in for that of Spring Kafka. Indexes count in the list that the listener has. */
final class KafkaAcknowledgment implements ListenerAcknowledgment, Acknowledgment {
  private final Acknowledgment real;
  private final int parameter;
  private final boolean batch;
  private final List<Call> calls = new ArrayList<>();
  private @Nullable Nack nack;
  private volatile boolean ended;

  /** Something that the listener said; told to the real one with indexes of the received list. */
  private interface Call {
    void on(Acknowledgment real, IntUnaryOperator indexes);
  }

  private record Nack(KafkaAcknowledgment by, int from, Duration sleep) implements Refusal {
    @Override
    public void tell(List<?> received, int first) {
      by.ended = true;
      if (by.batch) {
        by.real.nack(first, sleep);
      } else {
        by.real.nack(sleep);
      }
    }
  }

  KafkaAcknowledgment(Acknowledgment real, int parameter, boolean batch) {
    this.real = real;
    this.parameter = parameter;
    this.batch = batch;
  }

  @Override
  public Object[] in(Object[] arguments) {
    arguments[parameter] = this;
    return arguments;
  }

  private void say(Call call) {
    if (ended) { // by a listener that acknowledges later, from wherever
      call.on(real, index -> index);
    } else {
      calls.add(call);
    }
  }

  @Override
  public void acknowledge() {
    say((to, indexes) -> to.acknowledge());
  }

  @Override
  public void acknowledge(int index) {
    say((to, indexes) -> to.acknowledge(indexes.applyAsInt(index)));
  }

  @Override
  public void nack(Duration sleep) {
    nack(0, sleep);
  }

  @Override
  public void nack(int index, Duration sleep) {
    if (ended) {
      throw new IllegalStateException(
          "a message was recorded as handled before it was refused; refuse it before the listener returns");
    }
    nack = new Nack(this, index, sleep);
  }

  @Override
  public boolean isOutOfOrderCommit() {
    return real.isOutOfOrderCommit();
  }

  @Override
  public boolean isRefused() {
    return nack != null;
  }

  @Override
  public Refusal refusal() {
    Refusal refusal = requireNonNull(nack, "nack");
    forget();
    return refusal;
  }

  @Override
  public void forget() {
    calls.clear();
    nack = null;
  }

  @Override
  public void tell(List<?> received, List<?> handed) {
    ended = true;
    if (handed.isEmpty()) {
      real.acknowledge();
    }
    calls.forEach(call -> call.on(real, index -> Identity.indexOf(received, handed.get(index))));
  }
}

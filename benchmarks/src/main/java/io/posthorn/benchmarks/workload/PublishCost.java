/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import io.posthorn.benchmarks.subject.Order;
import io.posthorn.benchmarks.subject.Subject;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

/**
 * W4: one writer, relay off, transactions of one business insert without a message, with one and
 * with ten. They take turns, transaction by transaction, so that the machine's moods meet all
 * three.
 */
final class PublishCost implements Workload {
  private static final Numbering NUMBERING = new Numbering(1);
  private static final int[] MESSAGES = {0, 1, 10};

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    stage.clear();
    Turns turns = new Turns(stage.subject());
    turns.take(effort.runUp(Duration.ZERO));
    long before = turns.messages;
    ProcessorTime processorBefore = ProcessorTime.read(stage);
    NumberLog[] spent = turns.take(effort.duration());
    ProcessorTime processor = ProcessorTime.read(stage);
    double without = median(spent[0]);
    double one = median(spent[1]);
    double ten = median(spent[2]);
    long missing = turns.messages - stage.pending();
    Outcome outcome = Outcome.of(new Audit(missing, 0, 0), false);
    outcome =
        outcome
            .perSecond(1e9 / one)
            .with("microsWithoutMessage", without / 1e3)
            .with("microsWithOne", one / 1e3)
            .with("microsWithTen", ten / 1e3)
            .with("ratioToWithout", without / one)
            .with(Outcome.ADDED_MICROS, (one - without) / 1e3)
            .with("tenToOne", ten / one);
    return processor.perMessage(processorBefore, turns.messages - before).addTo(outcome);
  }

  private static final class Turns {
    private final Subject subject;
    private long messages;
    private long transactions;

    Turns(Subject subject) {
      this.subject = subject;
    }

    /** How long each transaction took, for each kind. */
    NumberLog[] take(Duration duration) throws Exception {
      NumberLog[] spent = {new NumberLog(), new NumberLog(), new NumberLog()};
      long end = System.nanoTime() + duration.toNanos();
      while (System.nanoTime() < end) {
        for (int kind = 0; kind < MESSAGES.length; kind++) {
          List<Order> orders =
              LongStream.range(messages, messages + MESSAGES[kind])
                  .mapToObj(turn -> NUMBERING.order(0, turn))
                  .toList();
          messages += orders.size();
          long begun = System.nanoTime();
          subject.transact(Stage.business(transactions++), orders);
          spent[kind].add(transactions, System.nanoTime() - begun);
        }
      }
      return spent;
    }
  }

  private static double median(NumberLog nanos) {
    long[] values = new long[nanos.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = nanos.nanos(i);
    }
    return Latencies.of(values).millis(0.5) * 1e6;
  }
}

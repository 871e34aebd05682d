/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.wake;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.WakeChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.BeforeTry;

/** Signals come over a channel that others may use, too. */
class SignalsFuzzTest {
  private static final int MAX_PARTITIONS = 1 << Short.SIZE;

  private final List<String> waiting = new ArrayList<>();
  private final List<BitSet> messages = new ArrayList<>();
  private final List<BitSet> deferred = new ArrayList<>();
  private int surveys;
  private WakeListener listener;

  @BeforeTry
  void listen() {
    waiting.clear();
    listener =
        new WakeListener(
            "a",
            new Loopback(),
            () -> 0,
            () -> true,
            messages::add,
            deferred::add,
            () -> surveys++);
    listener.runOnce(); // the first pass asks for a look at everything
    messages.clear();
    deferred.clear();
    surveys = 0;
  }

  @Property
  void partitionsComeAsTheyWereSent(
      @ForAll List<@IntRange(max = 1_023) Integer> news,
      @ForAll List<@IntRange(max = 1_023) Integer> changed,
      @ForAll boolean leases) {
    BitSet newMessages = new BitSet();
    news.forEach(newMessages::set);
    BitSet changedRows = new BitSet();
    changed.forEach(changedRows::set);
    Waker waker = new Waker(new Loopback());
    waker.messagesIn(newMessages);
    waker.deferredChanged(changedRows);
    if (leases) {
      waker.leasesChanged();
    }

    waker.runOnce();
    listener.runOnce();

    assertThat(messages).isEqualTo(newMessages.isEmpty() ? List.of() : List.of(newMessages));
    assertThat(deferred).isEqualTo(changedRows.isEmpty() ? List.of() : List.of(changedRows));
    assertThat(surveys).isEqualTo(leases ? 1 : 0);
  }

  @Property
  void anySignalIsHeardOrPassedOver(@ForAll("signals") List<String> signals) {
    waiting.addAll(signals);
    listener.runOnce();

    assertThat(messages).allMatch(partitions -> partitions.length() <= MAX_PARTITIONS);
    assertThat(deferred).allMatch(partitions -> partitions.length() <= MAX_PARTITIONS);
  }

  @Provide
  Arbitrary<List<String>> signals() {
    Arbitrary<String> number =
        Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.longs().map(String::valueOf)),
            Tuple.of(3, Arbitraries.integers().map(String::valueOf)),
            Tuple.of(1, Arbitraries.of("", "+", "-", "-0", "٣", "1e9", " 1")),
            Tuple.of(1, Arbitraries.strings().ofMaxLength(4)));
    Arbitrary<String> lists =
        Arbitraries.of("m:", "d:", "l", "p:", "p:a", "M:", "")
            .flatMap(kind -> number.list().ofMaxSize(8).map(all -> kind + String.join(",", all)));
    return Arbitraries.oneOf(lists, Arbitraries.strings()).list().ofMaxSize(5);
  }

  /** Gives signals back, as the database does. */
  private final class Loopback implements WakeChannel {
    @Override
    public Optional<String> obstacle() {
      return Optional.empty();
    }

    @Override
    public void send(String signal) {
      waiting.add(signal);
    }

    @Override
    public List<String> receive(Duration timeout) {
      List<String> signals = List.copyOf(waiting);
      waiting.clear();
      return signals;
    }

    @Override
    public void close() {}
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.wake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.spi.StoreException;
import io.posthorn.spi.WakeChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WakeListenerTest {
  private final Channel channel = new Channel();
  private final Log log = new Log();
  private final List<BitSet> messages = new ArrayList<>();
  private long nanos;
  private boolean joined = true;
  private final WakeListener listener =
      new WakeListener(
          "a", channel, () -> nanos, () -> joined, messages::add, partitions -> {}, () -> {});

  @BeforeEach
  void hearTheLog() {
    Log.OF_RELAYS.addHandler(log);
  }

  @AfterEach
  void leaveTheLog() {
    Log.OF_RELAYS.removeHandler(log);
  }

  @Test
  void takesNoConnectionBeforeTheRelayHasJoined() {
    joined = false;
    listener.runOnce();
    assertThat(channel.looks).isZero();

    joined = true;
    listener.runOnce();
    assertThat(channel.looks).isEqualTo(1);
  }

  @Test
  void goesOnListeningWhileTheLeaseIsInDoubt() {
    listener.runOnce();
    joined = false;
    listener.runOnce();
    assertThat(channel.looks).isEqualTo(2);
  }

  @Test
  void hearsWhenItsOwnSignalHasComeBack() {
    listener.runOnce();
    assertThat(listener.hears()).as("nothing has come yet").isFalse();
    listener.runOnce();
    assertThat(listener.hears()).isTrue();
  }

  @Test
  void doesNotHearWhenTheChannelIsGone() {
    listener.runOnce();
    listener.runOnce();
    channel.away = true;
    assertThatThrownBy(listener::runOnce).isInstanceOf(StoreException.class);
    assertThat(listener.hears()).isFalse();
  }

  @Test
  void doesNotHearWhenItsOwnSignalStaysAway() {
    listener.runOnce();
    listener.runOnce();
    channel.deaf = true;
    nanos += TimeUnit.SECONDS.toNanos(31);
    listener.runOnce(); // asks again
    nanos += TimeUnit.SECONDS.toNanos(6);
    listener.runOnce();
    assertThat(listener.hears()).isFalse();
  }

  @Test
  void aCutConnectionIsNotTakenForDeafness() { // hostile.md, D8: "a pooler?"
    listener.runOnce(); // asks whether it hears
    channel.away = true;
    assertThatThrownBy(listener::runOnce).isInstanceOf(StoreException.class);
    channel.waiting.clear(); // what was said meanwhile is lost
    channel.away = false;
    nanos += TimeUnit.SECONDS.toNanos(6);
    listener.runOnce();
    listener.runOnce();

    assertThat(log.lines).isEmpty();
    assertThat(listener.hears()).isTrue();
  }

  @Test
  void aSignalThatCouldNotBeSentIsNotWaitedFor() { // hostile.md, D8
    channel.mute = true;
    assertThatThrownBy(listener::runOnce).isInstanceOf(StoreException.class);
    channel.mute = false;
    nanos += TimeUnit.SECONDS.toNanos(6);
    listener.runOnce();
    listener.runOnce();

    assertThat(log.lines).isEmpty();
    assertThat(listener.hears()).isTrue();
  }

  @Test
  void deafnessAndItsEndAreSaidOnceWithTheObstacleIfOneIsKnown() {
    channel.deaf = true;
    channel.obstacle = Optional.of("a pooler is in between");
    for (int i = 0; i < 5; i++) {
      listener.runOnce();
      nanos += TimeUnit.SECONDS.toNanos(31);
    }
    channel.deaf = false;
    for (int i = 0; i < 3; i++) {
      listener.runOnce();
      nanos += TimeUnit.SECONDS.toNanos(31);
    }

    assertThat(log.lines)
        .containsExactly(
            "[a] hears no signals of other instances: a pooler is in between. Polling goes on, so their messages come a little later",
            "[a] hears signals of other instances again");
  }

  @Test
  void noObstacleIsMadeUp() {
    channel.deaf = true;
    listener.runOnce();
    nanos += TimeUnit.SECONDS.toNanos(6);
    listener.runOnce();

    assertThat(log.lines)
        .singleElement()
        .asString()
        .contains("its own did not come back within 5 s");
  }

  @Test
  void takesPartitionsAndPassesOverWhatIsNone() {
    listener.runOnce();
    messages.clear();
    channel.waiting.add("m:3,70000,x,,5");
    listener.runOnce();

    assertThat(messages).hasSize(1);
    assertThat(messages.get(0).get(3)).isTrue();
    assertThat(messages.get(0).get(5)).isTrue();
    assertThat(messages.get(0).length()).isLessThanOrEqualTo(1 << Short.SIZE);
  }

  private static final class Log extends Handler {
    static final Logger OF_RELAYS = Logger.getLogger("io.posthorn.relay");

    final List<String> lines = new ArrayList<>();

    @Override
    public void publish(LogRecord line) {
      if (line.getLevel().intValue() >= Level.INFO.intValue()) {
        lines.add(new SimpleFormatter().formatMessage(line));
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** Gives everybody's signals back, as the database does. */
  private static final class Channel implements WakeChannel {
    final List<String> waiting = new ArrayList<>();
    int looks;
    boolean away;
    boolean deaf;
    boolean mute;
    Optional<String> obstacle = Optional.empty();

    @Override
    public Optional<String> obstacle() {
      return obstacle;
    }

    @Override
    public void send(String signal) {
      if (mute) {
        throw StoreException.unavailable("not sent", null);
      }
      if (!deaf) {
        waiting.add(signal);
      }
    }

    @Override
    public List<String> receive(Duration timeout) {
      looks++;
      if (away) {
        throw StoreException.unavailable("away", null);
      }
      List<String> signals = List.copyOf(waiting);
      waiting.clear();
      return signals;
    }

    @Override
    public void close() {}
  }
}

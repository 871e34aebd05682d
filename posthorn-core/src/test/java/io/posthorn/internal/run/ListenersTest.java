/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.RelayListener;
import io.posthorn.spi.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListenersTest {
  private final RecordingLogger logger = new RecordingLogger();
  private final List<Integer> heard = new ArrayList<>();
  private final RelayListener hearing =
      new RelayListener() {
        @Override
        public void settled(int outcomes) {
          heard.add(outcomes);
        }
      };

  private Listeners listeners(RelayListener first) {
    return new Listeners(
        List.of(first, hearing), new FailureLog(logger, "relay-a", Ticker.system()));
  }

  @Test
  void aListenerThatThrowsHindersNobody() {
    listeners(
            new RelayListener() {
              @Override
              public void settled(int outcomes) {
                throw new IllegalStateException("bug");
              }
            })
        .tell(listener -> listener.settled(3));

    assertThat(heard).containsExactly(3);
    assertThat(logger.lines()).hasSize(1);
  }

  @Test
  void aFailureThatCannotBeReportedHindersNobody() {
    RelayListener failing =
        new RelayListener() {
          @Override
          public void settled(int outcomes) {
            throw new InternalError("in the listener");
          }
        };
    new Listeners(
            List.of(failing, hearing),
            new FailureLog(new ThrowingLogger(), "relay-a", Ticker.system()))
        .tell(listener -> listener.settled(3));

    assertThat(heard).containsExactly(3);
  }

  @Test
  void aListenerWhoseLibraryIsMissingHindersNobody() {
    listeners(
            new RelayListener() {
              @Override
              public void settled(int outcomes) {
                throw new NoClassDefFoundError("metrics");
              }
            })
        .tell(listener -> listener.settled(3));

    assertThat(heard).containsExactly(3);
    assertThat(logger.lines()).hasSize(1);
  }
}

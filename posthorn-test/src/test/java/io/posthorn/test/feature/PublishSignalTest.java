/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.PublishHook;
import io.posthorn.spi.WakeChannel;
import io.posthorn.test.StepRunner;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What other processes hear after a commit. */
class PublishSignalTest {
  private final Scene scene = new Scene(1);
  private final StepRunner steps = new StepRunner();
  private final List<String> signals = new ArrayList<>();
  private final MessageStore store =
      (MessageStore)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {MessageStore.class},
              (self, method, arguments) ->
                  method.getName().equals("wakeChannel")
                      ? Optional.of(new Channel())
                      : method.invoke(scene.store(), arguments));

  private final class Channel implements WakeChannel {
    @Override
    public void send(String signal) {
      signals.add(signal);
    }

    @Override
    public List<String> receive(Duration timeout) {
      return List.of();
    }

    @Override
    public void close() {}
  }

  private final PublishHook failing =
      new PublishHook() {
        @Override
        public void afterCommit(List<Envelope> messages) {
          throw new LinkageError("afterwards");
        }
      };

  private final Posthorn publisher =
      Posthorn.publishOnly(store, scene.transactions())
          .dutyRunner(steps)
          .publish(p -> p.promotedElsewhere(true))
          .publishHook(failing)
          .start();

  @AfterEach
  void stop() {
    publisher.close();
    scene.close();
  }

  @Test
  void aHookThatFailsKeepsNoSignalBack() {
    scene.publish(publisher, Message.of("t").build());
    steps.drain();

    assertThat(signals).hasSize(1);
  }

  @Test
  void aDelayedMessageIsNoNews() {
    scene.publish(publisher, Message.of("t").deliverAfter(Duration.ofHours(1)).build());
    steps.drain();

    assertThat(signals).isEmpty();
  }
}

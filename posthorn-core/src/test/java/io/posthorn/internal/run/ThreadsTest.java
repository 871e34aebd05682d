/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;

class ThreadsTest {

  @Test
  void threadsAreDaemonsNamedAfterRelayDutyAndNumber() {
    ThreadFactory threads = Threads.platform("relay-a", "read");

    assertThat(threads.newThread(() -> {}).getName()).isEqualTo("posthorn-relay-a-read-1");
    Thread second = threads.newThread(() -> {});
    assertThat(second.getName()).isEqualTo("posthorn-relay-a-read-2");
    assertThat(second.isDaemon()).isTrue();
    assertThat(second.getUncaughtExceptionHandler()).isNotInstanceOf(ThreadGroup.class);
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One that fails to stop does not keep the others from stopping. Issue 18, E14. */
class GuardedStopTest {
  @Test
  void allAreStoppedThoughSomeFail() {
    List<String> stopped = new ArrayList<>();

    GuardedStop.each(
        List.of("a", "b", "c"),
        name -> {
          if (name.equals("a")) {
            throw new IllegalStateException("as planned");
          }
          if (name.equals("b")) {
            throw new NoClassDefFoundError("as planned");
          }
          stopped.add(name);
        });

    assertThat(stopped).containsExactly("c");
  }

  @Test
  void noneIsStoppedTwice() {
    List<String> all = new ArrayList<>(List.of("a", "b"));
    List<String> stopped = new ArrayList<>();

    GuardedStop.eachOnce(all, stopped::add);
    GuardedStop.eachOnce(all, stopped::add);

    assertThat(stopped).containsExactly("a", "b");
  }
}

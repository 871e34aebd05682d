/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class UnpackOnceTest {

  private final AtomicInteger fillings = new AtomicInteger();
  private final UnpackOnce once;

  UnpackOnceTest(@TempDir Path root) throws IOException {
    once = new UnpackOnce(ServerFiles.below(root));
  }

  @Test
  void secondUserFindsWhatTheFirstLeft() throws IOException {
    Path first = once.directory("thing", this::fill);
    Path second = once.directory("thing", this::fill);

    assertThat(second).isEqualTo(first).isDirectoryContaining("glob:**/one");
    assertThat(fillings).hasValue(1);
  }

  @Test
  void directoryThatLostAFileIsFilledAgain() throws IOException {
    Path thing = once.directory("thing", this::fill);
    Files.delete(thing.resolve("one"));
    once.directory("thing", this::fill);

    assertThat(thing.resolve("one")).exists();
    assertThat(fillings).hasValue(2);
  }

  @Test
  void failedFillingLeavesNothing() throws IOException {
    assertThatThrownBy(() -> once.directory("thing", this::fillHalf)).hasMessage("disk full");
    Path thing = once.directory("thing", this::fill);

    assertThat(thing.resolve("one")).exists();
    assertThat(thing.resolve("half")).doesNotExist();
  }

  @Test
  void concurrentUsersFillOnce() throws Exception {
    CompletableFuture<?>[] users =
        IntStream.range(0, 8)
            .mapToObj(i -> CompletableFuture.supplyAsync(this::unchecked))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(users).get(30, TimeUnit.SECONDS);

    assertThat(fillings).hasValue(1);
  }

  private Path unchecked() {
    try {
      return once.directory("thing", this::fill);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void fill(Path target) throws IOException {
    fillings.incrementAndGet();
    Files.writeString(target.resolve("one"), "1");
    Files.writeString(target.resolve("two"), "2");
  }

  private void fillHalf(Path target) throws IOException {
    Files.writeString(target.resolve("half"), "1");
    throw new IOException("disk full");
  }
}

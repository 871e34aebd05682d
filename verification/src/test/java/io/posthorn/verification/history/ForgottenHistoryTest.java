/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ForgottenHistoryTest {
  private static final History.Rows NO_ROWS =
      new History.Rows(Map.of(), Map.of(), List.of(), List.of(), List.of());

  @TempDir private Path directory;

  private static UUID publish(TruthLog log) {
    UUID id = UUID.randomUUID();
    long transaction = log.begin();
    log.asked(
        transaction,
        List.of(new Sent(id, Receiver.ORDER, "k", 1, Nature.PLAIN, Sent.Timing.ANY, null)));
    log.committed(transaction);
    return id;
  }

  @Test
  void aProcessThatLivesGoesOnWithAnEmptyHistory() throws IOException {
    TruthLog living = new TruthLog(History.truthFile(directory, "a#1"));
    UUID before = publish(living);

    History.forget(directory, Set.of("a#1"));
    UUID after = publish(living);

    Truth truth = History.read(directory, Set.of(before, after), NO_ROWS).truth();
    assertThat(truth.committed().keySet()).containsExactly(after);
    assertThat(truth.contradictions()).isEmpty();
  }

  @Test
  void nothingIsLeftOfAProcessThatIsGone() throws IOException {
    publish(new TruthLog(History.truthFile(directory, "a#1")));
    Files.createFile(History.receiptFile(directory, "a#1"));
    Files.createFile(History.quietFile(directory, "a#1"));
    Files.createFile(directory.resolve("log-a#1"));
    Files.createFile(directory.resolve("log-b#1"));
    Files.createFile(directory.resolve("soak.csv"));

    History.forget(directory, Set.of("b#1"));

    assertThat(directory.toFile().list()).containsExactlyInAnyOrder("log-b#1", "soak.csv");
  }
}

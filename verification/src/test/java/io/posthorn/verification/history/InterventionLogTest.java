/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.verification.history.Intervention.Kind;
import io.posthorn.verification.history.Intervention.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterventionLogTest {
  @TempDir private Path directory;
  private Path file;
  private InterventionLog log;

  @BeforeEach
  void begin() throws IOException {
    file = directory.resolve("interventions");
    log = new InterventionLog(file);
  }

  private Intervention only() throws IOException {
    List<Intervention> all = InterventionLog.parse("a#1", Files.readAllLines(file));
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  @Test
  void anActionIsThereWithItsResult() throws Exception {
    Target target = Target.message("bill", UUID.randomUUID());
    log.note(Kind.RETRY, target, () -> 3);

    assertThat(only().kind()).isEqualTo(Kind.RETRY);
    assertThat(only().target()).isEqualTo(target);
    assertThat(only().result()).isEqualTo("3");
  }

  @Test
  void aFailureIsAResult() throws Exception {
    assertThatThrownBy(
            () ->
                log.note(
                    Kind.CANCEL,
                    Target.lane("bill", "k"),
                    () -> {
                      throw new IOException("no\nway");
                    }))
        .isInstanceOf(IOException.class);

    assertThat(only().result()).contains("no way");
  }

  @Test
  void anActionWhoseEndNobodyLivedToNoteGoesOnForEver() throws Exception {
    log.note(Kind.SKIP, Target.lane("bill", "k"), () -> true);
    Files.write(file, Files.readAllLines(file).subList(0, 1));

    assertThat(only().endedAt()).isEqualTo(Long.MAX_VALUE);
  }
}

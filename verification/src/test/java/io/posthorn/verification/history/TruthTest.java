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
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TruthTest {
  private static final Sent MESSAGE =
      new Sent(
          UUID.randomUUID(),
          Receiver.ORDER,
          "k",
          1,
          Nature.SLOW,
          new Sent.Timing(5, 9),
          "idempotency-key");

  @TempDir private Path directory;
  private Path file;
  private TruthLog log;
  private long transaction;

  @BeforeEach
  void begin() throws IOException {
    file = directory.resolve("truth");
    log = new TruthLog(file);
    transaction = log.begin();
  }

  private Truth truth(Set<UUID> inDatabase) throws IOException {
    Truth.Reader reader = new Truth.Reader(inDatabase);
    reader.read(Files.readAllLines(file));
    return reader.truth();
  }

  @Test
  void whatIsCommittedIsThereAsItWasMeant() throws IOException {
    log.asked(transaction, List.of(MESSAGE));
    log.committed(transaction);

    Truth truth = truth(Set.of(MESSAGE.id()));
    assertThat(truth.committed().get(MESSAGE.id()).sent()).isEqualTo(MESSAGE);
    assertThat(truth.contradictions()).isEmpty();
    assertThat(truth.unknown()).isZero();
  }

  @Test
  void anOutcomeThatNobodyKnowsIsDecidedByTheDatabase() throws IOException {
    log.asked(transaction, List.of(MESSAGE));
    log.unknown(transaction);

    assertThat(truth(Set.of()).committed()).isEmpty();
    assertThat(truth(Set.of(MESSAGE.id())).committed()).containsKey(MESSAGE.id());
    assertThat(truth(Set.of()).unknown()).isEqualTo(1);
  }

  @Test
  void aProcessThatDiedWhileCommittingKnowsNothing() throws IOException {
    log.asked(transaction, List.of(MESSAGE));

    assertThat(truth(Set.of(MESSAGE.id())).committed()).containsKey(MESSAGE.id());
    assertThat(truth(Set.of()).unknown()).isEqualTo(1);
  }

  @Test
  void aDatabaseThatForgetsACommitIsNoticed() throws IOException {
    log.asked(transaction, List.of(MESSAGE));
    log.committed(transaction);

    assertThat(truth(Set.of()).missing().get(MESSAGE.id()).confirmed()).isTrue();
    assertThat(truth(Set.of(MESSAGE.id())).missing()).isEmpty();
  }

  @Test
  void aRolledBackTransactionThatIsThereIsNoticed() throws IOException {
    log.asked(transaction, List.of(MESSAGE));
    log.rolledBack(transaction);

    assertThat(truth(Set.of(MESSAGE.id())).contradictions()).hasSize(1);
    assertThat(truth(Set.of()).contradictions()).isEmpty();
  }

  @Test
  void whatAHandlerPublishesIsDecidedByTheDatabase() throws IOException {
    log.asked(transaction, List.of(MESSAGE));
    log.leftToRelay(transaction);

    assertThat(truth(Set.of()).committed()).isEmpty();
    assertThat(truth(Set.of()).unknown()).isZero();
    assertThat(truth(Set.of()).contradictions()).isEmpty();
    assertThat(truth(Set.of(MESSAGE.id())).committed()).containsKey(MESSAGE.id());
  }

  @Test
  void whoseIdempotencyKeyWasTakenIsKnown() throws IOException {
    log.taken(transaction, "key", MESSAGE.id());

    assertThat(truth(Set.of()).taken()).containsExactly(MESSAGE.id());
    assertThat(truth(Set.of()).committed()).isEmpty();
  }
}

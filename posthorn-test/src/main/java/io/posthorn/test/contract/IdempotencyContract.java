/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.spi.Transaction;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/**
 * An idempotency key is taken once within its retention, by a transaction that commits.
 *
 * @since 0.1
 */
public abstract class IdempotencyContract extends StoreContract {
  private static final Duration WEEK = Duration.ofDays(7);
  private static final String KEY = "payment-1 \u00e9\u20ac'\"\\";

  private final UUID first = UUID.randomUUID();
  private final UUID second = UUID.randomUUID();

  private Optional<UUID> claim(Transaction transaction, String key, UUID id) {
    return database().store().claim(transaction, key, id, WEEK);
  }

  /** In a transaction of its own, which commits. */
  private Optional<UUID> claim(String key, UUID id) {
    CompletableFuture<Optional<UUID>> answer = new CompletableFuture<>();
    database().inTransaction(transaction -> answer.complete(claim(transaction, key, id)));
    return answer.join();
  }

  /** The same on another thread, which waits for this one. */
  private CompletableFuture<Optional<UUID>> claimBeside(UUID id) {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Optional<UUID>> answer = new CompletableFuture<>();
    Thread other =
        new Thread(
            () -> {
              try {
                database()
                    .inTransaction(
                        transaction -> {
                          begun.countDown();
                          answer.complete(claim(transaction, KEY, id));
                        });
              } catch (RuntimeException e) {
                answer.completeExceptionally(e);
              }
            });
    other.start();
    try {
      assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    assertThatThrownBy(() -> answer.get(200, TimeUnit.MILLISECONDS))
        .as("an answer while the key is in doubt")
        .isInstanceOf(TimeoutException.class);
    return answer;
  }

  private static Optional<UUID> answer(CompletableFuture<Optional<UUID>> beside) {
    return beside.orTimeout(30, TimeUnit.SECONDS).join();
  }

  @Test
  void keyIsTakenByTheFirstAndTheSecondLearnsWhoHasIt() {
    assertThat(claim(KEY, first)).isEmpty();
    assertThat(claim(KEY, second)).contains(first);
    assertThat(claim("another", second)).isEmpty();
  }

  @Test
  void keyIsTakenWithinTheSameTransactionToo() {
    database()
        .inTransaction(
            transaction -> {
              assertThat(claim(transaction, KEY, first)).isEmpty();
              assertThat(claim(transaction, KEY, second)).contains(first);
              assertThat(claim(transaction, "another", second)).as("still usable").isEmpty();
            });

    assertThat(claim(KEY, second)).contains(first);
    assertThat(claim("another", first)).contains(second);
  }

  @Test
  void rollBackFreesTheKey() {
    assertThatThrownBy(
            () ->
                database()
                    .inTransaction(
                        transaction -> {
                          claim(transaction, KEY, first);
                          throw new IllegalStateException("rolled back");
                        }))
        .hasMessage("rolled back");

    assertThat(claim(KEY, second)).isEmpty();
    assertThat(claim(KEY, first)).contains(second);
  }

  @Test
  void rollBackToASavepointFreesTheKeysThatWereTakenAfterIt() {
    database()
        .inTransaction(
            transaction -> {
              claim(transaction, "before", first);
              database().takeBack(transaction, () -> claim(transaction, KEY, first));
              assertThat(claim(transaction, KEY, second)).isEmpty();
              assertThat(claim(transaction, "before", second)).contains(first);
            });

    assertThat(claim(KEY, first)).contains(second);
  }

  @Test
  void rollBackToASavepointBeforeTheFirstKeyFreesAll() {
    database()
        .inTransaction(
            transaction -> {
              database().takeBack(transaction, () -> claim(transaction, KEY, first));
              database().takeBack(transaction, () -> claim(transaction, KEY, first));
            });

    assertThat(claim(KEY, second)).isEmpty();
  }

  @Test
  void concurrentHolderThatCommitsHasTheKey() {
    CompletableFuture<CompletableFuture<Optional<UUID>>> beside = new CompletableFuture<>();
    database()
        .inTransaction(
            transaction -> {
              claim(transaction, KEY, first);
              beside.complete(claimBeside(second));
            });

    assertThat(answer(beside.join())).contains(first);
  }

  /** Who repeats a request may give the message the same id again. */
  @Test
  void concurrentHolderHasTheKeyAlsoIfTheMessagesHaveTheSameId() {
    CompletableFuture<CompletableFuture<Optional<UUID>>> beside = new CompletableFuture<>();
    database()
        .inTransaction(
            transaction -> {
              claim(transaction, KEY, first);
              beside.complete(claimBeside(first));
              assertThat(claim(transaction, KEY, first)).contains(first);
            });

    assertThat(answer(beside.join())).contains(first);
  }

  @Test
  void concurrentHolderThatRollsBackLeavesTheKeyToTheOneThatWaits() {
    CompletableFuture<CompletableFuture<Optional<UUID>>> beside = new CompletableFuture<>();
    assertThatThrownBy(
            () ->
                database()
                    .inTransaction(
                        transaction -> {
                          claim(transaction, KEY, first);
                          beside.complete(claimBeside(second));
                          throw new IllegalStateException("rolled back");
                        }))
        .hasMessage("rolled back");

    assertThat(answer(beside.join())).isEmpty();
    assertThat(claim(KEY, first)).contains(second);
  }

  @Test
  void oneThatFindsAKeyTakenKeepsNobodyWaiting() {
    claim(KEY, first);
    database()
        .inTransaction(
            transaction -> {
              assertThat(claim(transaction, KEY, second)).contains(first);
              assertThat(claim(KEY, UUID.randomUUID())).contains(first);
            });
  }

  @Test
  void keyIsFreeAgainAfterItsRetention() {
    claim(KEY, first);
    advance(WEEK.minusMinutes(1));
    assertThat(claim(KEY, second)).contains(first);

    advance(Duration.ofMinutes(2));

    assertThat(claim(KEY, second)).isEmpty();
    assertThat(claim(KEY, first)).as("it counts from the second").contains(second);
    advance(WEEK.minusMinutes(1));
    assertThat(claim(KEY, first)).contains(second);
  }

  @Test
  void oldKeyIsTakenOverByOneOfTwo() {
    claim(KEY, UUID.randomUUID());
    advance(WEEK.plusMinutes(1));
    CompletableFuture<CompletableFuture<Optional<UUID>>> beside = new CompletableFuture<>();

    database()
        .inTransaction(
            transaction -> {
              assertThat(claim(transaction, KEY, first)).isEmpty();
              beside.complete(claimBeside(second));
            });

    assertThat(answer(beside.join())).contains(first);
  }

  @Test
  void purgeDeletesKeysThatAreOlderThanTheAge() {
    claim("old", first);
    advance(WEEK.plusMinutes(1));
    claim("new", first);

    assertThat(database().store().purgeIdempotency(WEEK.plusMinutes(2), 10)).isZero();
    assertThat(database().store().purgeIdempotency(WEEK, 10)).isEqualTo(1);

    assertThat(claim("new", second)).contains(first);
    assertThat(database().store().purgeIdempotency(WEEK, 10)).isZero();
  }

  @Test
  void purgeStopsAtItsLimit() {
    for (int i = 0; i < 5; i++) {
      claim("old-" + i, first);
    }
    advance(WEEK.plusMinutes(1));

    assertThat(database().store().purgeIdempotency(WEEK, 3)).isEqualTo(3);
    assertThat(database().store().purgeIdempotency(WEEK, 3)).isEqualTo(2);
  }
}

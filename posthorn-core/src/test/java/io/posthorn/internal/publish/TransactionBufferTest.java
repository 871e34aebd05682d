/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.Envelope;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.TransactionCallbacks;
import java.lang.ref.WeakReference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionBufferTest {
  private static final int BUFFER = 10;
  private static final int MANY = 30 * BUFFER;

  private final Connection connection = new Connection();
  private final List<Long> published = new ArrayList<>(); // and not taken back
  private final List<WeakReference<NewMessage>> messages = new ArrayList<>();
  private TransactionBuffer buffer = connection.buffer();

  /** A database with one transaction. */
  private static final class Connection extends TransactionCallbacks {
    private final List<Long> rows = new ArrayList<>();
    private int statements;

    /** Equal only to itself. */
    private static final class Savepoint {
      private final int rows;

      Savepoint(int rows) {
        this.rows = rows;
      }
    }

    TransactionBuffer buffer() {
      return new TransactionBuffer(this, (any, more) -> insert(more), BUFFER, (any, more) -> {});
    }

    private void insert(List<NewMessage> more) {
      statements++;
      more.forEach(message -> rows.add(message.envelope().id().getLeastSignificantBits()));
    }

    Savepoint savepoint() {
      Savepoint savepoint = new Savepoint(rows.size());
      tellSavepoint(listener -> listener.savepointSet(savepoint));
      return savepoint;
    }

    void rollback(Savepoint savepoint) {
      rows.subList(savepoint.rows, rows.size()).clear();
      tellSavepoint(listener -> listener.rolledBackTo(savepoint));
    }

    void release(Savepoint savepoint) {
      tellSavepoint(listener -> listener.savepointReleased(savepoint));
    }

    @Override
    public <T> T unwrap(Class<T> resource) {
      throw new IllegalArgumentException(resource.getName());
    }
  }

  private void publish(int count) {
    List<NewMessage> more = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      NewMessage message = message(messages.size());
      more.add(message);
      published.add((long) messages.size());
      messages.add(new WeakReference<>(message));
    }
    buffer.add(more);
  }

  private static NewMessage message(long number) {
    return new NewMessage(
        0,
        new Envelope(
            new UUID(0, number),
            "t",
            null,
            null,
            null,
            Map.of(),
            "text/plain",
            new byte[100],
            Instant.EPOCH,
            null));
  }

  private void takeBackFrom(int size) {
    published.subList(size, published.size()).clear();
  }

  private long reachable() {
    System.gc();
    return messages.stream().filter(message -> message.get() != null).count();
  }

  private void assertAtMostInMemory(int count) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (reachable() > count && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
    assertThat(reachable()).as("messages in memory").isLessThanOrEqualTo(count);
  }

  private void assertCommitted() {
    connection.prepareCommit();
    assertThat(connection.rows).isEqualTo(published);
  }

  @Test
  void withoutSavepointsAllIsWrittenInOneStatementIfItFitsIntoTheBuffer() {
    publish(3);
    publish(BUFFER - 4);
    assertThat(connection.rows).isEmpty();

    assertCommitted();
    assertThat(connection.statements).isEqualTo(1);
  }

  @Test
  void savepointsCostNoStatementsWhileItFitsIntoTheBuffer() {
    for (int i = 0; i < BUFFER - 1; i++) {
      connection.savepoint();
      publish(1);
    }

    assertCommitted();
    assertThat(connection.statements).isEqualTo(1);
  }

  @Test
  void aSavepointEarlyInALargeTransactionDoesNotKeepTheRestInMemory() {
    publish(3);
    Connection.Savepoint early = connection.savepoint();
    for (int i = 0; i < MANY; i++) {
      publish(1);
    }
    assertAtMostInMemory(3 + BUFFER);
    assertThat(connection.statements).as("still in groups").isLessThan(MANY / 2);

    connection.rollback(early);
    takeBackFrom(3);
    publish(2);
    assertCommitted();
  }

  @Test
  void aSavepointThatWasReleasedKeepsNothingInMemory() {
    publish(3);
    connection.release(connection.savepoint());
    for (int i = 0; i < MANY; i++) {
      publish(1);
    }

    assertAtMostInMemory(BUFFER);
    assertCommitted();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void manySavepointsDoNotKeepALargeTransactionInMemory(boolean releasesAreTold) {
    List<Connection.Savepoint> savepoints = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      savepoints.add(connection.savepoint());
      publish(1);
      if (releasesAreTold) {
        connection.release(savepoints.get(i));
      }
    }
    assertAtMostInMemory(2 * BUFFER);

    if (!releasesAreTold) { // so they may still stand
      connection.rollback(savepoints.get(MANY / 2));
      takeBackFrom(MANY / 2);
      publish(1);
      connection.rollback(savepoints.get(BUFFER / 2));
      takeBackFrom(BUFFER / 2);
    }
    assertCommitted();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whateverHappensWhatWasNotTakenBackIsWrittenInOrder(boolean releasesAreTold) {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      TransactionBufferTest one = new TransactionBufferTest();
      one.happen(random, releasesAreTold);
      one.connection.prepareCommit();
      assertThat(one.connection.rows).as("seed %d", seed).isEqualTo(one.published);
    }
  }

  private void happen(Random random, boolean releasesAreTold) {
    List<Connection.Savepoint> standing = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    if (random.nextBoolean()) { // before the first publish nobody is told of it
      buffer = null;
      standing.add(connection.savepoint());
      sizes.add(0);
    }
    for (int i = 0; i < 60; i++) {
      int chosen = standing.isEmpty() ? 0 : random.nextInt(standing.size());
      switch (random.nextInt(6)) {
        case 0, 1, 2 -> {
          buffer = buffer == null ? connection.buffer() : buffer;
          publish(random.nextInt(10) == 0 ? 2 * BUFFER : 1 + random.nextInt(3));
        }
        case 3 -> {
          standing.add(connection.savepoint());
          sizes.add(published.size());
        }
        case 4 -> {
          if (!standing.isEmpty()) {
            connection.rollback(standing.get(chosen));
            takeBackFrom(sizes.get(chosen));
            forget(chosen + 1, standing, sizes);
          }
        }
        default -> {
          if (!standing.isEmpty()) {
            if (releasesAreTold) {
              connection.release(standing.get(chosen));
            }
            forget(chosen, standing, sizes);
          }
        }
      }
    }
  }

  private static void forget(int from, List<?> standing, List<?> sizes) {
    standing.subList(from, standing.size()).clear();
    sizes.subList(from, sizes.size()).clear();
  }
}

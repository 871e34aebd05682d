/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.Message;
import io.posthorn.Posthorn;
import io.posthorn.PosthornException;
import io.posthorn.jdbc.JdbcMessageStore;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.test.fault.FaultyStore;
import io.posthorn.test.fault.FaultyStore.Step;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On real threads, with everything captured that is logged. */
class SecretsTest {
  private static final String SECRET = "secret-payload-4711";
  private static final String SECRET_IN_HEX =
      HexFormat.of().formatHex(SECRET.getBytes(StandardCharsets.UTF_8)).substring(0, 12);
  private static final String PASSWORD = "hunter2";
  private static final String BROKEN_URL = "jdbc:nosuch://host/db?user=sa&password=" + PASSWORD;

  private final String url =
      "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;USER=sa;PASSWORD=" + PASSWORD;
  private final UrlDataSource dataSource = new UrlDataSource(url);
  private final JdbcTransactions transactions = new JdbcTransactions(dataSource);
  private final FaultyStore store = new FaultyStore(JdbcMessageStore.on(dataSource));
  private final CapturedLogs logs = new CapturedLogs();
  private final Posthorn posthorn =
      Posthorn.inOneProcess(store, transactions)
          .codec(new RefusingCodec())
          .handler("reader", "undecodable", Integer.class, (number, delivery) -> {})
          .handler("mailer", "plain", String.class, (text, delivery) -> {})
          .handler(
              "broken",
              "failing",
              String.class,
              (text, delivery) -> {
                throw new IllegalStateException("the receiver said no");
              })
          .relay(
              r ->
                  r.heartbeatInterval(Duration.ofMillis(50))
                      .pollInterval(Duration.ofMillis(50))
                      .retry((attempts, cause) -> java.util.Optional.empty()))
          .start();

  @AfterEach
  void stop() {
    posthorn.close();
    logs.close();
    assertThat(logs.lines()).as("the capture works").isNotEmpty();
    assertThat(logs.lines()).allSatisfy(SecretsTest::assertNoSecret);
  }

  private record Order(String note) {}

  private static void assertNoSecret(String text) {
    assertThat(text)
        .doesNotContain(SECRET)
        .doesNotContainIgnoringCase(SECRET_IN_HEX)
        .doesNotContain(PASSWORD);
  }

  private static void assertNoSecret(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    assertNoSecret(text.toString());
  }

  private void publish(String type) throws Exception {
    transactions.run(connection -> posthorn.outbox().publish(type, SECRET));
  }

  private void execute(String sql) throws Exception {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private boolean logged(String text) {
    return logs.lines().stream().anyMatch(line -> line.contains(text));
  }

  private void awaitIdle() {
    assertThat(posthorn.relay().awaitIdle(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void publishingDeliveringFailingAndBrokenPayloadsLogNoPayload() throws Exception {
    publish("plain");
    publish("failing");
    publish("undecodable");

    awaitIdle();

    assertThat(posthorn.relay().status().counts().dead()).isEqualTo(2);
  }

  @Test
  void refusedMessagesAreNotQuoted() throws Exception {
    transactions.run(
        connection -> {
          for (Message message :
              List.of(
                  Message.of("plain").payload(SECRET).key("x".repeat(300)).build(),
                  Message.of("nobody").payload(SECRET).build(),
                  Message.of("plain").payload(new Order(SECRET)).build())) {
            assertNoSecret(catchThrowable(() -> posthorn.outbox().publish(message)));
          }
        });
  }

  @Test
  void anOutcomeThatTheStoreRefusesLogsNoPayload() throws Exception {
    store.refuse(Step.SETTLE);
    publish("plain");

    await(() -> logged("refuses the outcome"));
  }

  @Test
  void aRefusalThatQuotesTheRowLogsNoPayload() throws Exception {
    execute("ALTER TABLE outbox_dead ALTER COLUMN payload VARBINARY(3)");
    publish("failing");

    await(() -> logged("refuses the outcome"));
  }

  @Test
  void aMessageThatTheDatabaseRefusesIsNotQuotedToThePublisher() throws Exception {
    execute("ALTER TABLE outbox_message ALTER COLUMN payload VARBINARY(3)");

    assertNoSecret(catchThrowable(() -> publish("plain")));
  }

  @Test
  void aFailingSettleLogsNoPayload() throws Exception {
    store.failBefore(Step.SETTLE).failAfter(Step.SETTLE);
    publish("plain");

    await(() -> logged("cannot use the database"));
    awaitIdle();
  }

  @Test
  void aMissingDatabaseLogsNoCredentials() {
    UrlDataSource broken = new UrlDataSource(BROKEN_URL);
    try (Posthorn deaf =
        Posthorn.inOneProcess(
                JdbcMessageStore.builder(dataSource).relayDataSource(broken).build(), transactions)
            .handler("mailer", "plain", String.class, (text, delivery) -> {})
            .start()) {
      assertThat(deaf.outbox()).isNotNull();
      await(() -> logged("cannot use the database"));
    }

    assertThat(logged("No suitable driver")).isTrue();
  }

  @Test
  void aStoreThatCannotBeOpenedTellsNoCredentials() {
    UrlDataSource broken = new UrlDataSource(BROKEN_URL);

    Throwable failure =
        catchThrowable(
            () ->
                Posthorn.publishOnly(JdbcMessageStore.on(broken), new JdbcTransactions(broken))
                    .start());

    assertThat(failure).hasMessageContaining("No suitable driver");
    assertNoSecret(failure);
  }

  /** Can read and write nothing, and does not say what. */
  private static final class RefusingCodec implements PayloadCodec {
    @Override
    public String contentType() {
      return "text/plain";
    }

    @Override
    public byte[] encode(Object payload) {
      throw new PosthornException("no text can be made of it");
    }

    @Override
    public <T> T decode(byte[] payload, Class<T> type) {
      throw new PosthornException("it does not fit");
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spi.DeferredMessage;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.StoredMessage;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What a publisher fixed comes back exactly as it was, whatever is in it and wherever it has been.
 *
 * @since 0.1
 */
public abstract class EnvelopeContract extends StoreContract {
  private static final String AWKWARD =
      "Grüße, 東京, \uD83D\uDCEF, ı≠i; \"double\", 'single', `back`, \\ \\n \t \r\n {x} ? :y $1 %s -- end ";

  private void comesBack(NewMessage message) {
    assertSame(append(message), message);
  }

  private static void assertSame(StoredMessage row, NewMessage message) {
    Envelope found = row.envelope();
    Envelope wanted = message.envelope();
    assertThat(row.partition()).isEqualTo(message.partition());
    assertThat(Arrays.equals(found.payload(), wanted.payload())).as("same payload").isTrue();
    // Not the payload again: it would be compared, and kept, as a million boxed bytes.
    assertThat(found).usingRecursiveComparison().ignoringFields("payload").isEqualTo(wanted);
  }

  private static NewMessage occurred(String at) {
    return Messages.full(0, "x", Instant.parse(at), Instant.parse("9999-12-31T23:59:59.999999Z"));
  }

  @Test
  void messageWithEveryFieldFilledComesBack() {
    comesBack(
        Messages.full(7, "text", Messages.OCCURRED_AT, Messages.OCCURRED_AT.plusSeconds(3600)));
  }

  @Test
  void messageWithNothingOptionalComesBack() {
    comesBack(Messages.keyless(0));
  }

  @Test
  void tombstoneStaysNull() {
    assertThat(append(Messages.withPayload(null)).envelope().payload()).isNull();
  }

  @Test
  void emptyPayloadStaysEmpty() {
    assertThat(append(Messages.withPayload(new byte[0])).envelope().payload())
        .isNotNull()
        .isEmpty();
  }

  @Test
  void everyByteComesBack() {
    byte[] bytes = new byte[256];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }

    comesBack(Messages.withPayload(bytes));
  }

  @Test
  void megabyteComesBack() {
    byte[] bytes = new byte[1 << 20];
    new Random(42).nextBytes(bytes);

    comesBack(Messages.withPayload(bytes));
  }

  @Test
  void awkwardTextComesBack() {
    comesBack(Messages.full(0, AWKWARD, Messages.OCCURRED_AT, Messages.OCCURRED_AT));
  }

  @Test
  void blankAndControlCharactersOfHeadersComeBack() {
    String controls = "\0\1\b\f\u001f\u007f\u2028";

    comesBack(Messages.named(" ", Map.of(" ", " ", "controls", controls, "", "no name")));
  }

  @Test
  void longestNamesComeBack() {
    String longest = "ü".repeat(255);

    comesBack(Messages.named(longest, Map.of("long", longest.repeat(100))));
  }

  @Test
  void timesComeBackToTheMicrosecond() {
    comesBack(occurred("2026-10-25T01:30:00.000001Z"));
    comesBack(occurred("2026-03-29T01:59:59.999999Z"));
  }

  @Test
  void timesBeforeTimeZonesAndFarAheadComeBack() {
    comesBack(occurred("0001-01-01T00:00:00.000001Z"));
    comesBack(occurred("1582-10-10T12:00:00.123456Z"));
    comesBack(occurred("1868-06-01T11:59:59.999999Z"));
    comesBack(occurred("9999-12-31T23:59:59.999999Z"));
  }

  /** A driver may transfer rows in another form when it has run a statement a few times. */
  @Test
  void messagesAreTheSameHoweverOftenTheyAreRead() {
    List<NewMessage> messages =
        List.of(
            occurred("0001-01-01T00:00:00.000001Z"),
            occurred("1582-10-10T12:00:00.123456Z"),
            occurred("1599-12-31T23:59:59.999999Z"),
            occurred("1969-12-31T23:59:59.999999Z"),
            occurred("9999-12-31T23:59:59.999999Z"));
    append(messages);

    for (int read = 0; read < 10; read++) {
      List<StoredMessage> rows = readAll();
      assertThat(rows).hasSameSizeAs(messages);
      for (int i = 0; i < rows.size(); i++) {
        assertSame(rows.get(i), messages.get(i));
      }
    }
  }

  @Test
  void messagesWithAndWithoutOptionalFieldsAreWrittenTogether() {
    List<NewMessage> messages =
        List.of(
            Messages.keyless(0),
            Messages.full(1, AWKWARD, Messages.OCCURRED_AT, Messages.OCCURRED_AT),
            Messages.withHeader(2, 10),
            Messages.expiring(3, Messages.OCCURRED_AT),
            Messages.keyed(4, "order-1"));

    List<StoredMessage> rows = append(messages);

    for (int i = 0; i < rows.size(); i++) {
      assertSame(rows.get(i), messages.get(i));
    }
  }

  @Test
  void messageIsTheSameAfterItWasDeferredAndMadeReadyAgain() {
    NewMessage message = Messages.full(0, AWKWARD, Messages.OCCURRED_AT, Messages.OCCURRED_AT);
    RelayIdentity me = join("a");
    StoredMessage row = defer(me, message, "mailer", held());

    List<DeferredMessage> deferred = due(List.of(0), List.of("mailer"), 10);
    advance(LEASE);
    settleDeferred(me, row, "mailer", new Fate.Ready());

    assertThat(deferred).hasSize(1);
    assertSame(deferred.get(0).message(), message);
    assertThat(deferred.get(0).message().createdAt()).isEqualTo(row.createdAt());
    assertThat(readAll()).hasSize(1);
    assertSame(readAll().get(0), message);
    assertThat(readAll().get(0).createdAt()).isEqualTo(row.createdAt());
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.entry;

import io.posthorn.ConfigurationException;
import io.posthorn.Message;
import io.posthorn.OutboxMessage;
import io.posthorn.PublishException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpelMessageExpressionsTest {
  enum Region {
    NORTH_IST
  }

  record Customer(long id) {}

  @OutboxMessage(
      type = "order-placed",
      key = "#this.orderId",
      headers = {"region = region", "customer=#root.customer.id", "note=#this.note", "kind='a=b'"})
  record OrderPlaced(UUID orderId, Region region, Customer customer, String note) {}

  @OutboxMessage(type = "typo", key = "#this.ordrId")
  record Typo(String orderId) {}

  @OutboxMessage(type = "typo-in-operator", key = "'o-' + #this.ordrId")
  record TypoInOperator(String orderId) {}

  @OutboxMessage(type = "unknown-variable", headers = "h=#ths.orderId")
  record UnknownVariable(String orderId) {}

  @OutboxMessage(type = "syntax", key = "#this.")
  record Syntax(String orderId) {}

  @OutboxMessage(type = "no-name", headers = "#this.orderId")
  record NoName(String orderId) {}

  @OutboxMessage(type = "no-text", key = "customer")
  record NoText(Customer customer) {}

  /** With getters and a public field. */
  @OutboxMessage(
      type = "bean",
      key = "id",
      headers = {"urgent=urgent", "at=at", "sum=#this.ids.![#this + 1].size() + id.length()"})
  public static class Bean {
    public final Instant at = Instant.EPOCH;

    public String getId() {
      return "bean-1";
    }

    public boolean isUrgent() {
      return true;
    }

    public List<Integer> getIds() {
      return List.of(1, 2);
    }
  }

  record Plain() {}

  private final PublishTestOutbox outbox = new PublishTestOutbox();
  private final SpelMessageExpressions expressions = new SpelMessageExpressions();

  private static OrderPlaced order(UUID id) {
    return new OrderPlaced(id, Region.NORTH_IST, new Customer(7), null);
  }

  @Test
  void keyAndHeadersAreEvaluatedOverThePayload() {
    UUID id = new UUID(1, 2);
    outbox.run(() -> outbox.publish(order(id)));

    assertThat(outbox.envelopes())
        .singleElement()
        .satisfies(
            envelope -> {
              assertThat(envelope.key()).isEqualTo(id.toString());
              assertThat(envelope.headers())
                  .containsOnly(
                      entry("region", "NORTH_IST"), entry("customer", "7"), entry("kind", "a=b"));
            });
  }

  @Test
  void gettersFieldsAndLongerExpressionsWork() {
    outbox.run(() -> outbox.publish(new Bean()));

    assertThat(outbox.envelopes())
        .singleElement()
        .satisfies(
            envelope -> {
              assertThat(envelope.key()).isEqualTo("bean-1");
              assertThat(envelope.headers())
                  .containsOnly(
                      entry("urgent", "true"),
                      entry("at", "1970-01-01T00:00:00Z"),
                      entry("sum", "8"));
            });
  }

  @Test
  void anExplicitKeyWins() {
    outbox.run(
        () -> outbox.publish(Message.of("t").payload(order(new UUID(1, 2))).key("mine").build()));

    assertThat(outbox.envelopes()).extracting(envelope -> envelope.key()).containsExactly("mine");
  }

  private String refusal(Object payload) {
    Throwable failure = catchThrowable(() -> outbox.run(() -> outbox.publish(payload)));
    assertThat(failure).isInstanceOf(PublishException.class);
    return failure.getMessage();
  }

  @Test
  void aMissingKeyIsRefusedNamingClassAndExpression() {
    assertThat(refusal(order(null)))
        .contains("the key expression \"#this.orderId\" in @OutboxMessage of ")
        .contains(OrderPlaced.class.getName() + " yields null");
  }

  @Test
  void aWrongExpressionIsRefusedWhenFirstUsed() {
    assertThat(refusal(new Typo("1")))
        .contains(Typo.class.getName())
        .contains("\"#this.ordrId\"")
        .contains("asks for the property \"ordrId\"");
    assertThat(refusal(new UnknownVariable("1"))).contains("names #ths; known are #root, #this");
    assertThat(refusal(new Syntax("1"))).contains("\"#this.\"").contains("cannot be parsed");
  }

  @Test
  void aValueWithoutTextIsRefused() {
    assertThat(refusal(new NoText(new Customer(1))))
        .contains("the key expression \"customer\"")
        .contains("yields a " + Customer.class.getName());
  }

  @Test
  void theCheckReportsAllMistakesTogether() {
    assertThatThrownBy(
            () ->
                expressions.check(
                    List.of(
                        OrderPlaced.class,
                        Typo.class,
                        Typo.class,
                        TypoInOperator.class,
                        UnknownVariable.class,
                        Syntax.class,
                        NoName.class)))
        .isInstanceOfSatisfying(
            ConfigurationException.class,
            e ->
                assertThat(e.problems())
                    .satisfiesExactly(
                        typo ->
                            assertThat(typo)
                                .isEqualTo(
                                    "@OutboxMessage of %1$s has the key expression \"#this.ordrId\", which asks for the property \"ordrId\", which %1$s does not have"
                                        .formatted(Typo.class.getName())),
                        typo -> assertThat(typo).contains(TypoInOperator.class.getName()),
                        variable -> assertThat(variable).contains("which names #ths"),
                        syntax ->
                            assertThat(syntax)
                                .contains(Syntax.class.getName())
                                .contains("which cannot be parsed"),
                        name -> assertThat(name).contains("write name=expression")));
  }

  @Test
  void theCheckPassesWhatIsRightOrHasNoAnnotation() {
    assertThatCode(
            () ->
                expressions.check(
                    List.of(OrderPlaced.class, Bean.class, Plain.class, String.class)))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#this['a']",
        "#root.ids[0]",
        "T(java.lang.Math).abs(-1)",
        "ids.?[#this > 1].size()",
        "urgent ? id : 'x'",
        "getId()",
        "{1, 2}[0]"
      })
  void theCheckLetsPassWhatItCannotTell(String expression) {
    assertThat(new SpelCheck(Bean.class, Map.of()).flawOf(expression)).isEmpty();
  }
}

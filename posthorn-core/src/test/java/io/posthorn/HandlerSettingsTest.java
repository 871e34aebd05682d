/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Test;

class HandlerSettingsTest {
  private static final Handler<String> NOTHING = (payload, delivery) -> {};

  private static Posthorn.Builder with(HandlerSpec<?>... handlers) {
    Posthorn.Builder builder =
        Posthorn.inOneProcess(new UnusedStore(), UnusedStore.NO_TRANSACTIONS);
    List.of(handlers).forEach(builder::handler);
    return builder;
  }

  private static HandlerSpec<String> named(String name) {
    return HandlerSpec.of(name, "order-placed", String.class, NOTHING);
  }

  private static HandlerSpec<String> ofType(String type) {
    return HandlerSpec.of("mailer", type, String.class, NOTHING);
  }

  private static void assertProblem(String problem, HandlerSpec<?>... handlers) {
    assertThat(
            catchThrowableOfType(ConfigurationException.class, () -> with(handlers).build())
                .problems())
        .containsExactly(problem);
  }

  @Test
  void twoHandlersMayShareATypeButNotAName() {
    assertThatCode(() -> with(named("a"), named("b")).build()).doesNotThrowAnyException();
    assertProblem(
        "two handlers are named \"a\"; give each a name of its own",
        named("a"),
        named("a").alsoType("order-shipped"));
  }

  @Test
  void aNameIsShortAndVisible() {
    String rule = " but must have 1 to 100 characters and no control characters";

    assertProblem("the name of a handler was \"\"" + rule, named(""));
    assertProblem("the name of a handler was \" \"" + rule, named(" "));
    assertProblem("the name of a handler was \"a\\tb\"" + rule, named("a\tb"));
    assertProblem("the name of a handler was \"a\\nb\"" + rule, named("a\nb"));
    assertProblem("the name of a handler was \"a\\u0000\"" + rule, named("a\0"));
    assertProblem("the name of a handler was \"a\\ud800\"" + rule, named("a\uD800"));
    assertProblem(
        "the name of a handler was \"" + "x".repeat(40) + "…\"" + rule, named("x".repeat(101)));
    assertThatCode(() -> with(named("x".repeat(100))).build()).doesNotThrowAnyException();
  }

  @Test
  void theSignForUndecidedMessagesIsNoName() {
    assertProblem("a handler was named \"*\" but needs a name with letters", named("*"));
  }

  @Test
  void aTypeIsShortAndVisibleSinceOtherInstancesReadItFromAList() {
    String rule = " but must have 1 to 255 characters and no control characters";

    assertProblem("a type of handler \"mailer\" was \"\"" + rule, ofType(""));
    assertProblem("a type of handler \"mailer\" was \"  \"" + rule, ofType("  "));
    assertProblem("a type of handler \"mailer\" was \"a\\tb\"" + rule, ofType("a\tb"));
    assertProblem(
        "a type of handler \"mailer\" was \"a\\nb\"" + rule, ofType("ok").alsoType("a\nb"));
    assertProblem(
        "a type of handler \"mailer\" was \"" + "x".repeat(40) + "…\"" + rule,
        ofType("x".repeat(256)));
    assertThatCode(() -> with(ofType("x".repeat(255))).build()).doesNotThrowAnyException();
  }

  @Test
  void aTypeGivenTwiceIsNoProblem() {
    assertThatCode(() -> with(ofType("a").alsoType("a")).build()).doesNotThrowAnyException();
  }

  @Test
  void limitsHaveALeastValue() {
    assertProblem(
        "concurrency of handler \"a\" was -1 but must be at least 1", named("a").concurrency(-1));
    assertProblem(
        "concurrency of handler \"a\" was 0 but must be at least 1", named("a").concurrency(0));
    assertProblem(
        "batch-size of handler \"b\" was 0 but must be at least 1",
        HandlerSpec.batch("b", "t", String.class, 0, items -> {}));
    assertProblem(
        "batch-per-key of handler \"b\" was 0 but must be at least 1",
        HandlerSpec.batch("b", "t", String.class, 10, items -> {}).batchPerKey(0));
  }

  @Test
  void onlyBatchesHaveAMostPerKey() {
    assertProblem(
        "batch-per-key of handler \"a\" was 1, but it takes no batches; leave it out",
        named("a").batchPerKey(1));
  }
}

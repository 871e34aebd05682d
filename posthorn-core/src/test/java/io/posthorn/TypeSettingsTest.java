/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Aliases and what is set for a type. */
class TypeSettingsTest {
  private static Posthorn.Builder builder() {
    return Posthorn.inOneProcess(new UnusedStore(), UnusedStore.NO_TRANSACTIONS)
        .handler("mailer", "new", String.class, (payload, delivery) -> {});
  }

  private static void assertProblems(Consumer<Posthorn.Builder> settings, String... problems) {
    Posthorn.Builder builder = builder();
    settings.accept(builder);
    assertThat(catchThrowableOfType(ConfigurationException.class, builder::build).problems())
        .containsExactlyInAnyOrder(problems);
  }

  @Test
  void chainsAndSeveralOldNamesAreNoProblem() {
    assertThatCode(
            () ->
                builder()
                    .alias("oldest", "old")
                    .alias("old", "new")
                    .alias("other", "new")
                    .alias("other", "new")
                    .build())
        .doesNotThrowAnyException();
  }

  @Test
  void anAliasOfItselfIsRefused() {
    assertProblems(
        b -> b.alias("a", "a"),
        "alias \"a\" of \"a\" leads back to itself; name the type of today");
  }

  @Test
  void aCircleIsRefusedWithAllItsNamesAndThoseOutsideItAreNot() {
    assertProblems(
        b -> b.alias("a", "b").alias("b", "c").alias("c", "a").alias("z", "a"),
        "alias \"a\" of \"b\" leads back to itself; name the type of today",
        "alias \"b\" of \"c\" leads back to itself; name the type of today",
        "alias \"c\" of \"a\" leads back to itself; name the type of today");
  }

  @Test
  void anAliasOfTwoTypesIsRefused() {
    assertProblems(
        b -> b.alias("old", "new").alias("old", "newer"),
        "\"old\" was made an alias of the types \"new\" and \"newer\"; choose one");
  }

  @Test
  void anOldNameThatAHandlerTakesIsRefused() {
    assertProblems(
        b -> b.alias("new", "newer"),
        "handler \"mailer\" was registered for \"new\", which is an alias of \"newer\", so it would get nothing; register it for that type");
  }

  @Test
  void whatIsSetForAnOldNameIsRefused() {
    assertProblems(
        b ->
            b.alias("old", "new")
                .upcaster("old", envelope -> envelope.payload())
                .relay(r -> r.retry("old", RetryPolicy.none())),
        "an upcaster was registered for \"old\", which is an alias of \"new\", so it would have no effect; set it for that type",
        "relay.retry was set for \"old\", which is an alias of \"new\", so it would have no effect; set it for that type");
  }

  @Test
  void twoUpcastersForATypeAreRefused() {
    assertProblems(
        b ->
            b.upcaster("new", envelope -> envelope.payload())
                .upcaster("new", envelope -> envelope.payload()),
        "two upcasters were registered for type \"new\"; make them one");
  }

  @Test
  void aProcessThatOnlyPublishesHasNoUseForThem() {
    Posthorn.Builder builder =
        Posthorn.publishOnly(new UnusedStore(), UnusedStore.NO_TRANSACTIONS).alias("old", "new");

    assertThat(catchThrowableOfType(ConfigurationException.class, builder::build).problems())
        .containsExactly(
            "interceptors, aliases or upcasters were registered but this process only publishes; register them where a relay runs");
  }

  @Test
  void namesAreShortAndVisibleSinceOtherInstancesReadThemFromAList() {
    String rule = " but must have 1 to 255 characters and no control characters";

    assertProblems(b -> b.alias("a\tb", "new"), "an old type of alias was \"a\\tb\"" + rule);
    assertProblems(b -> b.alias("a", "\n"), "a new type of alias was \"\\n\"" + rule);
    assertProblems(
        b -> b.relay(r -> r.retry("", RetryPolicy.none())),
        "a type for which relay.retry was set was \"\"" + rule);
  }
}

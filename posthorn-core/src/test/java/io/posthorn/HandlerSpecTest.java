/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HandlerSpecTest {
  private static final Handler<String> NOTHING = (payload, delivery) -> {};

  private final HandlerSpec<String> spec =
      HandlerSpec.of("mailer", "order-placed", String.class, NOTHING);

  @Test
  void aTypedHandlerTakesItsTypesOnly() {
    HandlerSpec<String> more = spec.alsoType("order-shipped");

    assertThat(more.takes(Samples.envelope("order-placed", null))).isTrue();
    assertThat(more.takes(Samples.envelope("order-shipped", null))).isTrue();
    assertThat(more.takes(Samples.envelope("order-lost", null))).isFalse();
  }

  @Test
  void theSameTypeTwiceIsOneType() {
    assertThat(spec.alsoType("order-placed").types()).containsExactly("order-placed");
  }

  @Test
  void eachMethodReturnsAChangedCopy() {
    RetryPolicy retry = RetryPolicy.exponential(Duration.ZERO, Duration.ZERO, 1);

    HandlerSpec<String> changed =
        spec.alsoType("x").aggregateType("order").concurrency(3).retry(retry);

    assertThat(changed.concurrency()).hasValue(3);
    assertThat(changed.retry()).contains(retry);
    assertThat(changed.handler()).contains(NOTHING);
    assertThat(spec.types()).containsExactly("order-placed");
    assertThat(spec.concurrency()).isEmpty();
    assertThat(spec.retry()).isEmpty();
    assertThat(spec.takes(Samples.envelope("order-placed", "parcel"))).isTrue();
  }

  @Test
  void limitsDoNotOverwriteEachOther() {
    RetryPolicy retry = RetryPolicy.exponential(Duration.ZERO, Duration.ZERO, 1);
    HandlerSpec<String> batch =
        HandlerSpec.batch("b", "t", String.class, 7, items -> {}).concurrency(3).retry(retry);

    assertThat(batch.batchSize()).isEqualTo(7);
    assertThat(batch.concurrency()).hasValue(3);
    assertThat(batch.concurrency(4).retry()).contains(retry);
    assertThat(batch.batchHandler()).isPresent();
    assertThat(batch.handler()).isEmpty();
  }

  @Test
  void anAggregateTypeNarrowsWhatIsTaken() {
    HandlerSpec<String> narrowed = spec.aggregateType("order");

    assertThat(narrowed.takes(Samples.envelope("order-placed", "order"))).isTrue();
    assertThat(narrowed.takes(Samples.envelope("order-placed", "parcel"))).isFalse();
    assertThat(narrowed.takes(Samples.envelope("order-placed", null))).isFalse();
    assertThat(narrowed.takes(Samples.envelope("order-shipped", "order"))).isFalse();
  }

  @Test
  void aGenericHandlerDecidesByItself() {
    HandlerSpec<byte[]> generic =
        HandlerSpec.generic(
            "audit", envelope -> envelope.type().startsWith("order"), (payload, delivery) -> {});

    assertThat(generic.types()).isEmpty();
    assertThat(generic.takes(Samples.envelope("order-lost", null))).isTrue();
    assertThat(generic.takes(Samples.envelope("parcel-lost", null))).isFalse();
    assertThat(generic.aggregateType("order").takes(Samples.envelope("order-lost", null)))
        .isFalse();
  }

  @Test
  void nullsAreRefusedByName() {
    assertThatThrownBy(() -> HandlerSpec.of(null, "t", String.class, NOTHING)).hasMessage("name");
    assertThatThrownBy(() -> HandlerSpec.of("n", (String) null, String.class, NOTHING))
        .hasMessage("type");
    assertThatThrownBy(() -> HandlerSpec.of("n", "t", null, NOTHING)).hasMessage("payloadClass");
    assertThatThrownBy(() -> HandlerSpec.of("n", "t", String.class, null)).hasMessage("handler");
    assertThatThrownBy(() -> HandlerSpec.batch("n", "t", String.class, 1, null))
        .hasMessage("handler");
    assertThatThrownBy(() -> HandlerSpec.generic("n", null, (payload, delivery) -> {}))
        .hasMessage("supports");
    assertThatThrownBy(() -> spec.alsoType(null)).hasMessage("type");
    assertThatThrownBy(() -> spec.aggregateType((String) null)).hasMessage("aggregateType");
    assertThatThrownBy(() -> spec.retry(null)).hasMessage("retry");
  }
}

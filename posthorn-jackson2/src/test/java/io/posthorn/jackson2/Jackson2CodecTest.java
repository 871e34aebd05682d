/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jackson2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.posthorn.PosthornException;
import io.posthorn.spi.PayloadCodec;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class Jackson2CodecTest {
  private static final String SECRET = "hunter2-secret";

  private final Jackson2Codec codec = new Jackson2Codec();

  record Line(String article, int count) {}

  record Order(
      String id,
      BigDecimal total,
      Instant placedAt,
      LocalDate dueOn,
      Duration patience,
      List<Line> lines,
      String note) {}

  record Amount(int cents) {}

  /** An ordinary class with fields. */
  public static final class Bean {
    public String name = "";
  }

  /** Cannot be written: it contains itself. */
  public static final class Circle {
    public String secret = SECRET;

    public Circle self() {
      return this;
    }

    public Circle getSelf() {
      return this;
    }
  }

  /** Cannot be written: its property throws. */
  public static final class Broken {
    public String getSecret() {
      throw new IllegalStateException(SECRET);
    }
  }

  private static byte[] json(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String whole(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  @Test
  void aRecordWithTimesAndNestedRecordsComesBackAsItWas() {
    Order order =
        new Order(
            "ä€😀",
            new BigDecimal("12.30"),
            Instant.parse("2026-03-29T00:59:30.123456789Z"),
            LocalDate.of(2026, 4, 1),
            Duration.ofMillis(1500),
            List.of(new Line("shoe", 2)),
            null);

    assertThat(codec.decode(codec.encode(order), Order.class)).isEqualTo(order);
  }

  @Test
  void timesAreWrittenAsTextThatOthersCanRead() {
    String written =
        new String(
            codec.encode(Map.of("at", Instant.parse("2026-03-29T00:59:30Z"))),
            StandardCharsets.UTF_8);

    assertThat(written).isEqualTo("{\"at\":\"2026-03-29T00:59:30Z\"}");
  }

  @Test
  void anOrdinaryClassComesBackToo() {
    Bean bean = new Bean();
    bean.name = "x";

    assertThat(codec.decode(codec.encode(bean), Bean.class).name).isEqualTo("x");
  }

  @Test
  void propertiesOfANewerPublisherAreTolerated() {
    assertThat(codec.decode(json("{\"cents\": 5, \"currency\": \"EUR\"}"), Amount.class))
        .isEqualTo(new Amount(5));
  }

  @Test
  void theContentTypeIsJson() {
    assertThat(codec.contentType()).isEqualTo("application/json");
  }

  @Test
  void brokenJsonIsToldByPlaceAndNeverQuoted() {
    Throwable failure =
        catchThrowable(() -> codec.decode(json("{\"cents\":\n  " + SECRET + "}"), Amount.class));

    assertThat(failure)
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("the JSON does not fit at line 2, column");
    assertThat(whole(failure)).doesNotContain(SECRET).doesNotContain("hunter2");
  }

  @Test
  void aValueOfTheWrongTypeIsNeverQuoted() {
    Throwable failure =
        catchThrowable(() -> codec.decode(json("{\"cents\": \"" + SECRET + "\"}"), Amount.class));

    assertThat(failure).isInstanceOf(PosthornException.class).hasMessageContaining("does not fit");
    assertThat(whole(failure)).doesNotContain(SECRET);
  }

  @Test
  void emptyAndForeignBytesAreRefused() {
    assertThatThrownBy(() -> codec.decode(new byte[0], Amount.class))
        .isInstanceOf(PosthornException.class);
    assertThatThrownBy(() -> codec.decode(new byte[] {0, 1, 2, (byte) 0xFF}, Amount.class))
        .isInstanceOf(PosthornException.class);
    assertThatThrownBy(() -> codec.decode(json("[1,2]"), Amount.class))
        .isInstanceOf(PosthornException.class);
  }

  @Test
  void jsonThatIsTooDeepIsRefusedWithoutAnError() {
    assertThatThrownBy(() -> codec.decode(json("[".repeat(100_000)), Object.class))
        .isInstanceOf(PosthornException.class);
  }

  @Test
  void anObjectThatCannotBeWrittenIsRefusedAndNeverQuoted() {
    for (Object object : List.of(new Circle(), new Broken())) {
      Throwable failure = catchThrowable(() -> codec.encode(object));

      assertThat(failure)
          .isInstanceOf(PosthornException.class)
          .hasMessageContaining("no JSON can be made of it");
      assertThat(whole(failure)).doesNotContain(SECRET);
    }
  }

  @Test
  void classesNamedInTheDataAreNeverLoaded() {
    String trap = Jackson2CodecTest.class.getName() + "$Trap";
    String named =
        "{\"@class\":\"%1$s\",\"type\":\"%1$s\",\"value\":[\"%1$s\",{}]}".formatted(trap);

    Object decoded = codec.decode(json(named), Object.class);
    codec.decode(json(named), Bean.class);

    assertThat(decoded).isInstanceOf(Map.class);
    assertThat(System.getProperty("posthorn.jackson.trap")).isNull();
  }

  /** Tells when it is initialised. */
  public static final class Trap {
    static {
      System.setProperty("posthorn.jackson.trap", "sprung");
    }
  }

  @Test
  void theApplicationsOwnMapperIsUsed() {
    Jackson2Codec strict =
        new Jackson2Codec(
            JsonMapper.builder()
                .enable(
                    com.fasterxml.jackson.databind.DeserializationFeature
                        .FAIL_ON_UNKNOWN_PROPERTIES)
                .build());

    assertThatThrownBy(() -> strict.decode(json("{\"cents\": 5, \"x\": 1}"), Amount.class))
        .isInstanceOf(PosthornException.class);
  }

  @Test
  void itIsFoundOnTheClassPath() {
    assertThat(ServiceLoader.load(PayloadCodec.class))
        .hasAtLeastOneElementOfType(Jackson2Codec.class);
  }
}

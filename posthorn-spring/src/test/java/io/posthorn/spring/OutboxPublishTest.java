/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import io.posthorn.PublishException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;

class OutboxPublishTest {
  record Order(String id, int total) {}

  @OutboxMessage(type = "order-shipped", key = "id")
  record Shipped(String id) {}

  @OutboxPublish(type = "audited", payload = "#root.method.name")
  @Retention(RetentionPolicy.RUNTIME)
  @interface Audited {}

  interface Billing {
    @OutboxPublish(type = "billed", payload = "#p0")
    void bill(String id);
  }

  static class BillingService implements Billing {
    @Override
    public void bill(String id) {}
  }

  static class Orders {
    @OutboxPublish(type = "order-placed", key = "#payload.id", headers = "total=#result.total")
    Order place(String id, int total) {
      return new Order(id, total);
    }

    @OutboxPublish(type = "order-placed")
    public Order fail() {
      throw new IllegalStateException("no stock");
    }

    @OutboxPublish(type = "cancelled", payload = "#id", key = "#p0 + '-' + #a1")
    protected void cancel(String id, long version) {}

    @OutboxPublish(type = "from-bean", payload = "#root.target.name + @suffix + #root.args[0]")
    public void beans(int number) {}

    public String getName() {
      return "orders";
    }

    @OutboxPublish(
        type = "placed",
        key = "#payload.id",
        headers = {"of=#result.size()", "none=null"})
    public List<Order> placeAll(Order... orders) {
      return Arrays.asList(orders);
    }

    @OutboxPublish(type = "word", key = "#payload")
    public String[] words(String... words) {
      return words;
    }

    @OutboxPublish(type = "bytes")
    public byte[] bytes() {
      return new byte[] {'o', 'k'};
    }

    @OutboxPublish(type = "found", key = "#result.id")
    public Optional<Order> find(Order order) {
      return Optional.ofNullable(order);
    }

    @OutboxPublish
    public Shipped ship(String id) {
      return new Shipped(id);
    }

    @OutboxPublish(key = "'given'")
    public Shipped shipWithKey(String id) {
      return new Shipped(id);
    }

    @OutboxPublish
    public Object untyped() {
      return new Order("1", 1);
    }

    @OutboxPublish(key = "'filled-in'", headers = "h='filled-in'")
    public List<Message> messages() {
      return List.of(
          Message.of("m1").payload("{}").key("own").header("h", "own").build(),
          Message.of("m2").payload("{}").build());
    }

    @OutboxPublish(type = "first", payload = "#id")
    @OutboxPublish(type = "second", payload = "#id", outbox = "archive")
    public void both(String id) {}

    @OutboxPublish(type = "first", payload = "#id")
    @OutboxPublish(type = "second", payload = "#id", key = "#none")
    public void secondFails(String id, String none) {}

    @OutboxPublish(type = "keyed", key = "#key", payload = "1")
    public void keyed(Object key) {}

    @OutboxPublish(type = "payload", payload = "#payload", key = "#payload")
    public void parameterNamedPayload(List<String> payload) {}

    @Audited
    public void audited() {}
  }

  @Configuration(proxyBeanMethods = false)
  @Import(OutboxPublishingConfiguration.class)
  static class Config {
    @Bean
    @Primary
    PublishTestOutbox main() {
      return new PublishTestOutbox();
    }

    @Bean
    PublishTestOutbox archive() {
      return new PublishTestOutbox();
    }

    @Bean
    Orders orders() {
      return new Orders();
    }

    @Bean
    Orders sameOrders(Orders orders) {
      return orders;
    }

    @Bean
    Billing billing() {
      return new BillingService();
    }

    @Bean
    String suffix() {
      return "-suffix-";
    }
  }

  private final AnnotationConfigApplicationContext context =
      new AnnotationConfigApplicationContext(Config.class);
  private final PublishTestOutbox outbox = context.getBean("main", PublishTestOutbox.class);
  private final Orders orders = context.getBean("orders", Orders.class);

  @AfterEach
  void close() {
    context.close();
  }

  @Test
  void theResultIsPublishedWithKeyAndHeaders() {
    outbox.run(() -> assertThat(orders.place("a", 5)).isEqualTo(new Order("a", 5)));

    assertThat(outbox.published()).containsExactly("order-placed a Order[id=a, total=5]");
    assertThat(outbox.envelopes().get(0).headers()).containsExactly(entry("total", "5"));
  }

  @Test
  void aMethodThatThrowsPublishesNothing() {
    assertThatThrownBy(() -> outbox.run(orders::fail)).hasMessage("no stock");

    assertThat(outbox.callSizes()).isEmpty();
  }

  @Test
  void parametersAreKnownByNameAndByNumber() {
    outbox.run(() -> orders.cancel("a", 3));

    assertThat(outbox.published()).containsExactly("cancelled a-3 a");
  }

  @Test
  void targetMethodArgumentsAndBeansAreKnown() {
    outbox.run(() -> orders.beans(4));

    assertThat(outbox.published()).containsExactly("from-bean null orders-suffix-4");
  }

  @Test
  void aListBecomesOneBatchWithAKeyPerElement() {
    outbox.run(() -> orders.placeAll(new Order("a", 1), null, new Order("b", 2)));

    assertThat(outbox.callSizes()).containsExactly(2);
    assertThat(outbox.published())
        .containsExactly("placed a Order[id=a, total=1]", "placed b Order[id=b, total=2]");
    assertThat(outbox.envelopes())
        .allSatisfy(envelope -> assertThat(envelope.headers()).containsExactly(entry("of", "3")));
  }

  @Test
  void anArrayBecomesABatchAndBytesAreOneMessage() {
    outbox.run(
        () -> {
          orders.words("x", "y");
          orders.bytes();
        });

    assertThat(outbox.callSizes()).containsExactly(2, 1);
    assertThat(outbox.published()).containsExactly("word x x", "word y y", "bytes null ok");
  }

  @Test
  void anEmptyListPublishesNothing() {
    outbox.run(orders::placeAll);

    assertThat(outbox.callSizes()).isEmpty();
  }

  @Test
  void anOptionalIsUnwrappedAndAnEmptyOnePublishesNothing() {
    outbox.run(
        () -> {
          orders.find(new Order("a", 1));
          orders.find(null);
        });

    assertThat(outbox.published()).containsExactly("found a Order[id=a, total=1]");
  }

  @Test
  void theClassOfThePayloadGivesTypeAndKeyUnlessTheAnnotationDoes() {
    outbox.run(
        () -> {
          orders.ship("a");
          orders.shipWithKey("b");
        });

    assertThat(outbox.published())
        .containsExactly("order-shipped a Shipped[id=a]", "order-shipped given Shipped[id=b]");
  }

  @Test
  void aPayloadWithoutAnyTypeIsRefusedNamingTheMethod() {
    assertThatThrownBy(() -> outbox.run(orders::untyped))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining(Orders.class.getName() + ".untyped() has no type")
        .hasMessageContaining(Order.class.getName());
  }

  @Test
  void aMessageIsPublishedAsItIsAndCompleted() {
    outbox.run(orders::messages);

    assertThat(outbox.published()).containsExactly("m1 own {}", "m2 filled-in {}");
    assertThat(outbox.envelopes())
        .extracting(envelope -> envelope.headers().get("h"))
        .containsExactly("own", "filled-in");
  }

  @Test
  void theAnnotationCanBeRepeatedAndNameTheOutbox() {
    PublishTestOutbox archive = context.getBean("archive", PublishTestOutbox.class);
    outbox.run(() -> archive.run(() -> orders.both("a")));

    assertThat(outbox.published()).containsExactly("first null a");
    assertThat(archive.published()).containsExactly("second null a");
  }

  @Test
  void allIsEvaluatedBeforeAnythingIsPublished() {
    assertThatThrownBy(() -> outbox.run(() -> orders.secondFails("a", null)))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining(
            "the key expression \"#none\" in @OutboxPublish on %s.secondFails(String, String) yields null"
                .formatted(Orders.class.getName()));

    assertThat(outbox.callSizes()).isEmpty();
  }

  @Test
  void aKeyWithoutTextIsRefused() {
    assertThatThrownBy(() -> outbox.run(() -> orders.keyed(new Order("a", 1))))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining(".keyed(Object) failed: it yields a " + Order.class.getName());
  }

  @Test
  void aParameterNamedPayloadIsTheElementForTheKey() {
    outbox.run(() -> orders.parameterNamedPayload(List.of("a", "b")));

    assertThat(outbox.published()).containsExactly("payload a a", "payload b b");
  }

  @Test
  void anAnnotationOfTheApplicationsOwnCanCarryIt() {
    outbox.run(orders::audited);

    assertThat(outbox.published()).containsExactly("audited null audited");
  }

  @Test
  void theAnnotationOfAnInterfaceCounts() {
    outbox.run(() -> context.getBean(Billing.class).bill("a"));

    assertThat(outbox.published()).containsExactly("billed null a");
  }

  @Test
  void aBeanUnderTwoNamesPublishesOnce() {
    outbox.run(() -> context.getBean("sameOrders", Orders.class).cancel("a", 1));

    assertThat(outbox.callSizes()).containsExactly(1);
  }

  @Test
  void withoutATransactionTheCallerIsTold() {
    assertThatThrownBy(() -> orders.cancel("a", 1))
        .isInstanceOf(PublishException.class)
        .hasMessageContaining("no active transaction");
  }

  @Test
  void beansWithoutTheAnnotationAreNotProxied() {
    assertThat(AopUtils.isAopProxy(orders)).isTrue();
    assertThat(AopUtils.isAopProxy(context.getBean("main", Outbox.class))).isFalse();
  }
}

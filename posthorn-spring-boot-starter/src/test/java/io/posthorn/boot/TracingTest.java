/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.trace.data.SpanData;
import io.posthorn.micrometer.tracing.ObservationInterceptor;
import io.posthorn.micrometer.tracing.TraceContextProvider;
import io.posthorn.spi.DeliveryInterceptor;
import io.posthorn.spring.MdcInterceptor;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

class TracingTest {
  private static final String ALL = "management.tracing.sampling.probability=1.0";

  @RestController
  static class Orders {
    private final Shop.Counter counter;

    Orders(Shop.Counter counter) {
      this.counter = counter;
    }

    @PostMapping("/orders/{id}")
    String place(@PathVariable("id") String id) {
      counter.place(new Shop.Order(id, 1));
      return id;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Traced {
    @Bean
    Spans spans() {
      return new Spans();
    }

    @Bean
    Diary diary() {
      return new Diary();
    }

    @Bean
    Orders orders(Shop.Counter counter) {
      return new Orders(counter);
    }
  }

  @Test
  void theTraceOfAWebRequestGoesOnInTheHandler() throws Exception {
    Spans spans;
    Map<String, String> logged;
    try (WebShop shop = WebShop.run(Traced.class, ALL)) {
      spans = shop.context().getBean(Spans.class);
      assertThat(shop.post("/orders/o-1").statusCode()).isEqualTo(200);
      logged = shop.context().getBean(Diary.class).next();
    }

    SpanData request = spans.request();
    SpanData delivery = spans.delivery("diary");
    assertThat(delivery.getTraceId()).isEqualTo(request.getTraceId());
    assertThat(delivery.getParentSpanId()).isEqualTo(request.getSpanId());
    assertThat(logged)
        .containsEntry("traceId", request.getTraceId())
        .containsEntry("spanId", delivery.getSpanId())
        .containsEntry(MdcInterceptor.KEY, "o-1");
  }

  @Test
  void itGoesOnInAnotherProcess() throws Exception {
    String database =
        "spring.datasource.url=jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());
    Spans ofShop;
    try (WebShop shop = WebShop.run(Traced.class, ALL, database, "posthorn.publish-only=true")) {
      ofShop = shop.context().getBean(Spans.class);
      assertThat(shop.post("/orders/o-1").statusCode()).isEqualTo(200);
    }
    Spans ofWorker;
    try (ConfigurableApplicationContext worker = Shop.run(Traced.class, ALL, database)) {
      ofWorker = worker.getBean(Spans.class);
      worker.getBean(Diary.class).next();
    }

    SpanData request = ofShop.request();
    SpanData delivery = ofWorker.delivery("diary");
    assertThat(delivery.getTraceId()).isEqualTo(request.getTraceId());
    assertThat(delivery.getParentSpanId()).isEqualTo(request.getSpanId());
    assertThat(delivery.getParentSpanContext().isRemote()).isTrue();
    assertThat(ofShop.all()).doesNotContain(delivery);
  }

  @Test
  void theSpanIsOpenedBeforeOtherInterceptorsAreCalled() {
    try (ConfigurableApplicationContext context = Shop.run(Traced.class)) {
      assertThat(context.getBeanProvider(DeliveryInterceptor.class).orderedStream())
          .hasExactlyElementsOfTypes(ObservationInterceptor.class, MdcInterceptor.class);
      assertThat(context.getBeanNamesForType(TraceContextProvider.class)).hasSize(1);
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.http.HttpSender;
import io.posthorn.spi.Sender;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/**
 * A sender to HTTP endpoints that is named {@code http}, with the settings {@code posthorn.http}.
 *
 * @since 0.1
 */
@AutoConfiguration
@ConditionalOnClass(HttpSender.class)
@ConditionalOnProperty(prefix = "posthorn", name = "enabled", matchIfMissing = true)
class PosthornHttpAutoConfiguration {
  @Bean
  HttpSenders outboxHttpSenders(PosthornProperties properties) {
    return new HttpSenders(properties.http());
  }

  /** Closes what it has made, after the relay has stopped. */
  static final class HttpSenders implements SenderSource, DisposableBean {
    private final PosthornProperties.Http settings;
    private final List<HttpSender> made = new CopyOnWriteArrayList<>();

    HttpSenders(PosthornProperties.Http settings) {
      this.settings = settings;
    }

    @Override
    public Map<String, Supplier<Sender>> senders() {
      return Map.of(HTTP, this::make);
    }

    private Sender make() {
      HttpSender.Builder builder =
          HttpSender.builder()
              .secrets(settings.secrets())
              .plainHttp(settings.plainHosts().toArray(String[]::new));
      settings.headers().forEach(builder::header);
      if (settings.connectTimeout() != null) {
        builder.connectTimeout(settings.connectTimeout());
      }
      if (settings.requestTimeout() != null) {
        builder.requestTimeout(settings.requestTimeout());
      }
      if (settings.maxConcurrentRequests() != null) {
        builder.maxConcurrentRequests(settings.maxConcurrentRequests());
      }
      HttpSender sender = builder.build();
      made.add(sender);
      return sender;
    }

    @Override
    public void destroy() {
      GuardedStop.eachOnce(made, HttpSender::close);
    }
  }
}

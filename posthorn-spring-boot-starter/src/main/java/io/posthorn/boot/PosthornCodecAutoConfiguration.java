/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.jackson.JacksonCodec;
import io.posthorn.jackson2.Jackson2Codec;
import io.posthorn.spi.PayloadCodec;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * The codec of the application's own mapper: Jackson 3 where it has one, else Jackson 2.
 *
 * @since 0.1
 */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration",
      "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
      "org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration"
    })
@ConditionalOnProperty(prefix = "posthorn", name = "enabled", matchIfMissing = true)
class PosthornCodecAutoConfiguration {
  @Order(1)
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(tools.jackson.databind.ObjectMapper.class)
  @ConditionalOnSingleCandidate(tools.jackson.databind.ObjectMapper.class)
  static class Jackson3 {
    @Bean
    @ConditionalOnMissingBean(PayloadCodec.class)
    JacksonCodec posthornCodec(tools.jackson.databind.ObjectMapper mapper) {
      return new JacksonCodec(mapper);
    }
  }

  @Order(2)
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(com.fasterxml.jackson.databind.ObjectMapper.class)
  @ConditionalOnSingleCandidate(com.fasterxml.jackson.databind.ObjectMapper.class)
  static class Jackson2 {
    @Bean
    @ConditionalOnMissingBean(PayloadCodec.class)
    Jackson2Codec posthornCodec(com.fasterxml.jackson.databind.ObjectMapper mapper) {
      return new Jackson2Codec(mapper);
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.admin;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Who may use the admin API, for Spring Security. */
@Configuration(proxyBeanMethods = false)
public class AdminRules {
  // docs:begin
  @Bean
  @Order(1)
  SecurityFilterChain outboxOperators(HttpSecurity http) throws Exception {
    return http.securityMatcher("/posthorn/**")
        .authorizeHttpRequests(
            requests ->
                requests
                    .anyRequest()
                    .hasAnyAuthority("POSTHORN_SEE", "POSTHORN_ACT", "ROLE_POSTHORN_ACT"))
        .httpBasic(Customizer.withDefaults())
        // The API refuses requests of other sites itself, and curl has no token to send.
        .csrf(csrf -> csrf.ignoringRequestMatchers("/posthorn/api/**"))
        .build();
  }
  // docs:end
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.Posthorn;
import io.posthorn.boot.example.admin.AdminRules;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The admin API where Spring Security is on the class path; run in a JVM of its own. */
class AdminHttpWithSecurityTest {
  private static final String ENABLED = "posthorn.admin.enabled=true";
  private static final String API = "/posthorn/api/v1/";

  @Configuration(proxyBeanMethods = false)
  static class Users {
    @Bean
    UserDetailsService users() {
      return new InMemoryUserDetailsManager(
          User.withUsername("stranger").password("{noop}p").authorities("CUSTOMER").build(),
          User.withUsername("viewer").password("{noop}p").authorities("POSTHORN_SEE").build(),
          User.withUsername("operator").password("{noop}p").roles("POSTHORN_ACT").build());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @Import({Users.class, AdminRules.class})
  static class WithTheRuleOfTheDocument {}

  /** Spring Security's own protection against CSRF is on. */
  @Configuration(proxyBeanMethods = false)
  @Import(Users.class)
  static class WithTokens {
    @Bean
    SecurityFilterChain tokens(HttpSecurity http) throws Exception {
      return http.securityMatcher("/posthorn/**") // not the page of errors
          .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
          .httpBasic(Customizer.withDefaults())
          .build();
    }
  }

  /** Lets everything pass. */
  @Configuration(proxyBeanMethods = false)
  @Import(Users.class)
  static class WithoutARule {
    @Bean
    SecurityFilterChain everything(HttpSecurity http) throws Exception {
      return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll()).build();
    }
  }

  private static HttpRequest.Builder as(String user, HttpRequest.Builder request) {
    byte[] login = (user + ":p").getBytes(StandardCharsets.UTF_8);
    return request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(login));
  }

  private static int get(WebShop shop, String user, String path) throws Exception {
    return shop.send(as(user, shop.request(API + path).GET())).statusCode();
  }

  private static HttpRequest.Builder pause(WebShop shop, String user) {
    return as(
        user,
        shop.request(API + "actions/" + UUID.randomUUID())
            .header("Content-Type", "application/json")
            .PUT(BodyPublishers.ofString("{\"kind\":\"PAUSE\",\"handler\":\"mailer\"}")));
  }

  @Test
  void theRuleOfTheDocumentLetsOperatorsInAndNobodyElse() throws Exception {
    try (WebShop shop = WebShop.run(WithTheRuleOfTheDocument.class, ENABLED)) {
      assertThat(shop.get(API + "overview").statusCode()).isEqualTo(401);
      assertThat(get(shop, "stranger", "overview")).isEqualTo(403);
      assertThat(get(shop, "viewer", "overview")).isEqualTo(200);
      assertThat(get(shop, "operator", "overview")).isEqualTo(200);
    }
  }

  @Test
  void theDashboardIsForOperatorsOnlyAndKeepsItsPolicy() throws Exception {
    try (WebShop shop = WebShop.run(WithTheRuleOfTheDocument.class, ENABLED)) {
      assertThat(shop.get("/posthorn/").statusCode()).isEqualTo(401);
      HttpResponse<String> page = shop.send(as("viewer", shop.request("/posthorn/").GET()));
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().allValues("Content-Security-Policy"))
          .singleElement()
          .asString()
          .contains("script-src 'self'");
    }
  }

  @Test
  void theRuleOfTheDocumentLetsProgramsActButNoPageOfAnotherSite() throws Exception {
    try (WebShop shop = WebShop.run(WithTheRuleOfTheDocument.class, ENABLED)) {
      assertThat(shop.send(pause(shop, "viewer")).statusCode()).isEqualTo(403);
      assertThat(
              shop.send(pause(shop, "operator").header("Sec-Fetch-Site", "cross-site"))
                  .statusCode())
          .isEqualTo(403);
      assertThat(shop.context().getBean(Posthorn.class).admin().fleet().pauses()).isEmpty();

      HttpResponse<String> done = shop.send(pause(shop, "operator"));
      assertThat(done.statusCode()).as(done.body()).isEqualTo(200);
      assertThat(done.body()).contains("\"who\":\"operator\"");
    }
  }

  @Test
  void changesNeedThePermissionAndTheTokenWhereSpringAsksForOne() throws Exception {
    try (WebShop shop = WebShop.run(WithTokens.class, ENABLED)) {
      assertThat(shop.send(pause(shop, "operator")).statusCode()).isEqualTo(403);

      HttpResponse<String> session = shop.send(as("operator", shop.request(API + "session").GET()));
      JsonNode csrf = new ObjectMapper().readTree(session.body()).get("csrf");
      String header = csrf.get("header").asText();
      String token = csrf.get("token").asText();
      assertThat(shop.send(pause(shop, "viewer").header(header, token)).statusCode())
          .isEqualTo(403);
      assertThat(shop.context().getBean(Posthorn.class).admin().fleet().pauses()).isEmpty();

      JsonNode fresh =
          new ObjectMapper()
              .readTree(shop.send(as("operator", shop.request(API + "session").GET())).body());
      HttpResponse<String> done =
          shop.send(
              pause(shop, "operator").header(header, fresh.get("csrf").get("token").asText()));
      assertThat(done.statusCode()).as(done.body()).isEqualTo(200);
      assertThat(done.body()).contains("\"who\":\"operator\"");
    }
  }

  @Test
  void withoutARuleNothingIsReachable() throws Exception {
    try (WebShop shop = WebShop.run(WithoutARule.class, ENABLED)) {
      for (String path : new String[] {"overview", "session", "openapi.yaml", "nothing"}) {
        HttpResponse<String> response = shop.get(API + path);
        assertThat(response.statusCode()).as(path).isEqualTo(401);
        assertThat(response.headers().firstValue("Content-Type"))
            .contains("application/problem+json");
      }
      assertThat(shop.get("/posthorn/").statusCode()).isEqualTo(401);
    }
  }

  @Test
  void openAccessIsRefusedBesideSpringSecurity() {
    assertThat(
            catchThrowable(
                () ->
                    WebShop.run(WithoutARule.class, ENABLED, "posthorn.admin.access=open").close()))
        .rootCause()
        .hasMessageContaining("Spring Security is on the class path");
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.Posthorn;
import io.posthorn.admin.http.AdminAccess;
import io.posthorn.admin.http.AdminAuthorizer;
import io.posthorn.admin.http.AdminHttp;
import io.posthorn.admin.http.AdminPermission;
import io.posthorn.admin.http.WebHandler;
import io.posthorn.admin.http.WebResponse;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The admin API where Spring Security is not on the class path. */
class AdminHttpTest {
  private static final String ENABLED = "posthorn.admin.enabled=true";
  private static final String OPEN = "posthorn.admin.access=open";
  private static final String API = "/posthorn/api/v1/";
  private static final Pattern SCRIPT = Pattern.compile("<script [^>]*src=\"([^\"]+)\"");

  @Configuration(proxyBeanMethods = false)
  static class ForViewers {
    @Bean
    AdminAuthorizer viewersOnly() {
      return request ->
          "let me in".equals(request.header("X-Word"))
              ? AdminAccess.of("vera", Set.of(AdminPermission.SEE))
              : AdminAccess.unauthenticated(null);
    }

    @Bean
    WebHandler posthornPages() {
      return request -> WebResponse.text(200, "text/plain", "page " + request.path());
    }
  }

  private static HttpResponse<String> pause(WebShop shop, String path) throws Exception {
    return shop.send(
        shop.request(path + "actions/" + UUID.randomUUID())
            .header("Content-Type", "application/json")
            .PUT(BodyPublishers.ofString("{\"kind\":\"PAUSE\",\"handler\":\"mailer\"}")));
  }

  @Test
  void itIsOffUnlessItIsEnabled() throws Exception {
    try (WebShop shop = WebShop.run(Shop.class, OPEN)) {
      assertThat(shop.get(API + "overview").statusCode()).isEqualTo(404);
      assertThat(shop.context().getBeanNamesForType(AdminHttp.class)).isEmpty();
    }
  }

  @Test
  void itDoesNotStartIfNothingSaysWhoMayUseIt() {
    assertThat(catchThrowable(() -> WebShop.run(Shop.class, ENABLED).close()))
        .rootCause()
        .hasMessageContaining("posthorn.admin.access=open")
        .hasMessageContaining("AdminAuthorizer");
  }

  @Test
  void openAccessSeesAndActs() throws Exception {
    try (WebShop shop =
        WebShop.run(
            Shop.class,
            ENABLED,
            OPEN,
            "posthorn.admin.path=/ops/outbox",
            "server.servlet.context-path=/shop")) {
      assertThat(shop.json("/shop/ops/outbox/api/v1/overview").get("instances").asInt())
          .isEqualTo(1);
      assertThat(pause(shop, "/shop/ops/outbox/api/v1/").statusCode()).isEqualTo(200);
      assertThat(shop.context().getBean(Posthorn.class).admin().fleet().pauses()).hasSize(1);
      assertThat(shop.get("/shop/ops/outbox/api/v1/a%3bb").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void anAuthorizerDecidesAndPagesAreServedBesideTheApi() throws Exception {
    try (WebShop shop = WebShop.run(ForViewers.class, ENABLED)) {
      assertThat(shop.get(API + "overview").statusCode()).isEqualTo(401);
      assertThat(shop.get("/posthorn/app.js").statusCode()).isEqualTo(401);
      assertThat(
              shop.send(shop.request("/posthorn/app.js").header("X-Word", "let me in").GET())
                  .body())
          .isEqualTo("page /app.js");
      HttpResponse<String> action =
          shop.send(
              shop.request(API + "actions/" + UUID.randomUUID())
                  .header("X-Word", "let me in")
                  .header("Content-Type", "application/json")
                  .PUT(BodyPublishers.ofString("{\"kind\":\"PAUSE\",\"handler\":\"mailer\"}")));
      assertThat(action.statusCode()).isEqualTo(403);
      assertThat(action.headers().firstValue("Content-Type")).contains("application/problem+json");
    }
  }

  @Test
  void theDashboardIsServedIfItIsOnTheClassPath() throws Exception {
    try (WebShop shop = WebShop.run(Shop.class, ENABLED, OPEN)) {
      HttpResponse<String> page = shop.get("/posthorn/");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().firstValue("Content-Type").orElse("none")).startsWith("text/html");
      assertThat(page.headers().allValues("Content-Security-Policy"))
          .singleElement()
          .asString()
          .contains("script-src 'self'", "frame-ancestors 'none'")
          .doesNotContain("unsafe");
      Matcher script = SCRIPT.matcher(page.body());
      assertThat(script.find()).as(page.body()).isTrue();
      HttpResponse<String> app = shop.get("/posthorn/" + script.group(1));
      assertThat(app.statusCode()).isEqualTo(200);
      assertThat(app.headers().firstValue("Content-Type").orElse("none"))
          .startsWith("text/javascript");
      assertThat(shop.get("/posthorn/nowhere").statusCode()).isEqualTo(404);

      HttpResponse<String> bare = shop.get("/posthorn");
      assertThat(bare.statusCode()).isEqualTo(308);
      assertThat(bare.headers().firstValue("Location")).contains("./posthorn/");
    }
  }

  @Test
  void theActuatorTellsOfTheOutbox() throws Exception {
    try (WebShop shop =
        WebShop.run(Shop.class, "management.endpoints.web.exposure.include=info,posthorn")) {
      assertThat(shop.json("/actuator/info").at("/posthorn/posthorn/handlers/0").asText())
          .isEqualTo("mailer");
      assertThat(shop.json("/actuator/posthorn").at("/posthorn/relay/handlers/mailer/paused"))
          .hasToString("false");
      assertThat(shop.json("/actuator/posthorn").at("/posthorn/deadLetters").asInt(-1)).isZero();
      assertThat(shop.post("/actuator/posthorn").statusCode()).isEqualTo(405);
    }
  }
}

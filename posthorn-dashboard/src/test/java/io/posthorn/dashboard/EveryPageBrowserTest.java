/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.DeliveryResult;
import io.posthorn.dashboard.ShopOutbox.ShopType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What holds on each page. */
@ExtendWith(DashboardExtension.class)
class EveryPageBrowserTest {
  private static final String HEADINGS = "return document.querySelectorAll('h1').length";
  private static final String OTHER_HOSTS =
      "return performance.getEntriesByType('resource').map((e) => new URL(e.name).origin).filter((o) => o !== location.origin)";

  private Map<String, String> pages;
  private Browser browser;

  @BeforeEach
  void fillEachPage(DashboardUnderTest page) {
    browser = page.browser();
    ShopOutbox shop = page.shop();
    UUID dead = shop.dead(ShopType.PARCEL_SENT, "every-page", "the depot refused it");
    shop.handle(
        ShopType.PARCEL_SENT,
        (payload, delivery) -> DeliveryResult.retryAfter(Duration.ofMinutes(30)));
    shop.publish(ShopType.PARCEL_SENT.message("every-page-retry").payload("{}").build());
    shop.posthorn()
        .admin()
        .as("ben", "the depot is being painted")
        .lanes()
        .block("courier", "every-page-lane");
    pages = new TreeMap<>();
    pages.put("overview", "");
    pages.put("dead letters", "#/dead-letters");
    pages.put("dead letters, filtered", "#/dead-letters?handler=courier&error=depot");
    pages.put("dead letters, none", "#/dead-letters?handler=nobody");
    pages.put("dead letters by error", "#/dead-letters?view=errors");
    pages.put("waiting", "#/waiting");
    pages.put("retrying", "#/waiting?reason=RETRYING");
    pages.put("ready", "#/waiting?view=ready");
    pages.put("lanes", "#/lanes");
    pages.put("lanes, retrying", "#/lanes?view=retrying");
    pages.put("handlers", "#/handlers");
    pages.put("instances", "#/instances");
    pages.put("delivered", "#/delivered");
    pages.put("actions", "#/actions");
    pages.put("one action", "#/actions/" + newestAction(shop));
    pages.put("database", "#/database");
    pages.put("one message", "#/messages/" + dead);
    pages.put("nowhere", "#/nowhere");
  }

  private static UUID newestAction(ShopOutbox shop) {
    return shop.posthorn().admin().actions().page(null, 1).items().get(0).id();
  }

  @Test
  void isAccessibleAndFitsTheScreenInLightAndDarkAndOnAPhone(DashboardUnderTest page) {
    Map<String, List<String>> problems = new TreeMap<>();
    Map<String, Object> widths = new TreeMap<>();
    pages.forEach(
        (name, place) -> {
          browser.desktop();
          browser.light();
          page.open(place);
          problems.put(name + ", light", browser.accessibilityProblems());
          browser.dark();
          problems.put(name + ", dark", browser.contrastProblems());
          browser.phone();
          if (!place.contains("?")) {
            problems.put(name + ", dark phone", browser.accessibilityProblems());
          }
          widths.put(name, browser.script("return document.documentElement.scrollWidth"));
          assertThat(browser.driver().getTitle()).as(name).endsWith(" · Posthorn");
          assertThat(browser.script(HEADINGS)).as("headings of " + name).isEqualTo(1L);
          assertThat(browser.script(OTHER_HOSTS)).as("hosts of " + name).isEqualTo(List.of());
        });
    problems.values().removeIf(List::isEmpty);

    assertThat(problems).isEmpty();
    assertThat(widths).allSatisfy((name, width) -> assertThat(width).as(name).isEqualTo(390L));
  }
}

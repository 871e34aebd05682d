/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.DeliveryResult;
import io.posthorn.dashboard.ShopOutbox.ShopType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(DashboardExtension.class)
class LanesBrowserTest {
  @Test
  void aBlockedLaneSaysWhyAndGoesOnWhenItIsUnblocked(DashboardUnderTest page)
      throws InterruptedException {
    Browser browser = page.browser();
    ShopOutbox shop = page.shop();
    BlockingQueue<String> counted = new LinkedBlockingQueue<>();
    shop.handle(
        ShopType.STOCK_CHANGED,
        (payload, delivery) -> DeliveryResult.blockLane("the shelf is being counted"));
    shop.publish(ShopType.STOCK_CHANGED.message("shelf-9").payload("\"first\"").build());
    shop.handle(
        ShopType.STOCK_CHANGED,
        (payload, delivery) -> {
          counted.add(payload);
          return DeliveryResult.delivered();
        });
    shop.publish(
        List.of(
            ShopType.STOCK_CHANGED.message("shelf-9").payload("\"second\"").build(),
            ShopType.STOCK_CHANGED.message("shelf-9").payload("\"third\"").build()));
    assertThat(counted).isEmpty();

    page.open("#/lanes?handler=search-index&key=shelf-9");
    browser.awaitText("shelf-9");
    assertThat(browser.text()).contains("the shelf is being counted");
    browser.follow("what waits behind");
    browser.awaitText("3 messages");
    browser.driver().navigate().back();
    browser.named("button", "Unblock lane shelf-9", 0).click();
    browser.awaitText("search-index · shelf-9");
    browser.press("Unblock lane");

    browser.awaitText("Unblocked lane shelf-9 of search-index");
    browser.awaitText("No lane is blocked");
    List<String> order = new ArrayList<>();
    while (!order.contains("\"third\"")) {
      order.add(requireNonNull(counted.poll(20, TimeUnit.SECONDS), "nothing more was delivered"));
    }
    assertThat(order).containsSubsequence("\"second\"", "\"third\"");
  }

  @Test
  void waitingMessagesAreRunNowOrCancelled(DashboardUnderTest page) throws InterruptedException {
    Browser browser = page.browser();
    ShopOutbox shop = page.shop();
    BlockingQueue<String> placed = new LinkedBlockingQueue<>();
    shop.handle(
        ShopType.ORDER_PLACED,
        (payload, delivery) -> {
          placed.add(payload);
          return DeliveryResult.delivered();
        });
    for (String payload : List.of("\"wanted\"", "\"unwanted\"")) {
      shop.publish(
          ShopType.ORDER_PLACED
              .message("later-" + payload.length())
              .tenant(payload.replace("\"", ""))
              .payload(payload)
              .deliverAfter(Duration.ofHours(2))
              .build());
    }

    page.open("#/waiting?reason=DELAYED&tenant=wanted");
    browser.awaitText("1 message");
    browser.press("Run now all that match");
    browser.press("Run now 1 message");
    browser.awaitText("Made due 1 message");
    page.open("#/waiting?reason=DELAYED&tenant=unwanted");
    browser.awaitText("1 message");
    browser.press("Cancel all that match");
    browser.press("Cancel 1 message");
    browser.awaitText("Cancelled 1 message");

    assertThat(placed.poll(20, TimeUnit.SECONDS)).isEqualTo("\"wanted\"");
    assertThat(placed).isEmpty();
    assertThat(
            shop.posthorn()
                .admin()
                .deferred()
                .count(Admin.Filter.all().tenant("unwanted"))
                .entries())
        .isZero();
  }
}

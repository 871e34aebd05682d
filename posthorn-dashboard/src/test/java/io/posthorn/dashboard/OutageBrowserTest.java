/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.DeliveryResult;
import io.posthorn.DestinationDownException;
import io.posthorn.Message;
import io.posthorn.dashboard.ShopOutbox.ShopType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the page shows while something is wrong, and that it heals by itself. No test reloads. */
@ExtendWith(DashboardExtension.class)
class OutageBrowserTest {
  @Test
  void aDestinationThatIsDownIsShownAndGoneWhenItIsBack(DashboardUnderTest page) {
    Browser browser = page.browser();
    ShopOutbox shop = page.shop();
    shop.handle(
        ShopType.PARCEL_SENT,
        (payload, delivery) -> {
          throw new DestinationDownException("the depot does not answer", null);
        });
    List<Message> messages = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      messages.add(ShopType.PARCEL_SENT.message("outage-" + i).payload("{}").build());
    }

    page.open("");
    shop.publishOnly(messages);
    browser.awaitText("Destination down: courier. Messages wait and lose no attempts.");
    page.open("#/handlers");
    browser.awaitText("destination down");
    shop.handle(ShopType.PARCEL_SENT, (payload, delivery) -> DeliveryResult.delivered());

    browser.awaitNoText("destination down");
    page.open("");
    browser.awaitNoText("Destination down");
  }

  @Test
  void aPausedHandlerIsResumedByUndo(DashboardUnderTest page) {
    Browser browser = page.browser();

    page.open("#/handlers");
    browser.named("button", "Pause ledger", 0).click();
    browser.press("Pause handler");
    browser.awaitText("Paused handler ledger");
    browser.awaitText("paused just now");
    assertThat(page.shop().posthorn().admin().fleet().pauses()).isNotEmpty();
    browser.press("Undo");

    browser.awaitText("Resumed handler ledger");
    browser.awaitNoText("paused just now");
    assertThat(page.shop().posthorn().admin().fleet().pauses()).isEmpty();
  }

  @Test
  void figuresMoveWithoutAReload(DashboardUnderTest page) {
    Browser browser = page.browser();
    page.open("#/instances");
    browser.awaitText("Live");
    long before = browser.deadLetters();

    page.shop().dead(ShopType.PARCEL_SENT, "live", "the stamp is missing");

    browser.awaitDeadLetters(before);
  }

  @Test
  void aLostConnectionIsToldAndFoundAgain(DashboardUnderTest page) {
    Browser browser = page.browser();
    browser.open(page.proxiedUrl() + "#/lanes");
    browser.awaitText("Live");
    browser.complaints();

    browser.offline(true);
    try {
      browser.awaitText("These figures are not up to date.");
      browser.awaitText("No connection");
    } finally {
      browser.offline(false);
    }

    browser.awaitText("Live");
    browser.awaitNoText("These figures are not up to date.");
    assertThat(browser.complaints())
        .isNotEmpty()
        .allMatch(each -> each.contains("ERR_INTERNET_DISCONNECTED") || each.contains("/events"));
  }
}

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
  /**
   * The process that was asked first has died: the action is recorded as running, and nobody goes
   * on with it. Time passes 50 times as fast for the page.
   */
  private static final String ASKED_A_DEAD_PROCESS =
      """
      const now = performance.now.bind(performance);
      performance.now = () => now() * 50;
      const real = window.fetch;
      window.requests = [];
      window.fetch = (url, options) => {
        if (!/actions\\/[-0-9a-f]{36}/.test(url) || JSON.parse(options.body ?? '{}').dryRun) {
          return real(url, options);
        }
        window.requests.push(`${options.method ?? 'GET'} ${url}`);
        return window.requests.filter((each) => each.startsWith('PUT')).length > 1
          ? real(url, options)
          : Promise.resolve(Response.json({state: 'RUNNING', entries: 0, changedAt: '2026-11-20T00:00:00Z'}));
      };
      """;

  private static final String ADDRESSES =
      "return [...new Set(window.requests.map((each) => each.replace(/^[A-Z]+ /, '')))].length";

  @Test
  void anActionThatStandsStillIsAskedForAgainWithTheSameId(DashboardUnderTest page) {
    Browser browser = page.browser();
    ShopOutbox shop = page.shop();
    shop.dead(ShopType.PARCEL_SENT, "still", "the ferry is late");
    shop.handle(ShopType.PARCEL_SENT, (payload, delivery) -> DeliveryResult.delivered());
    page.open("#/dead-letters?error=the+ferry+is+late");
    browser.awaitText("1 dead letter");
    browser.script(ASKED_A_DEAD_PROCESS);

    browser.press("Retry all that match");
    browser.press("Retry 1 dead letter");

    browser.awaitText("Retried 1 dead letter");
    assertThat(browser.script(ADDRESSES)).as("one action").isEqualTo(1L);
  }

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

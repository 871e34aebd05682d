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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Makes the pictures of the documentation: {@code -Dposthorn.screenshots=docs/dashboard}. */
@EnabledIfSystemProperty(named = "posthorn.screenshots", matches = ".+")
class DashboardScreenshotsTest {
  /** The relay has run for seconds: the charts of the last hour get a sample hour. */
  private static final String SAMPLE_HOUR =
      """
      const real = window.fetch;
      const hour = () => Array.from({length: 360}, (_, i) => {
        const outage = i > 290 && i < 330;
        const published = 220 + 60 * Math.sin(i / 40) + 9 * Math.sin(i * 12.9898);
        return {
          at: new Date(Date.now() - (359 - i) * 10000).toISOString(), instances: 1, capped: false,
          perSecond: {published, delivered: outage ? published * 0.55 : i >= 330 && i < 340 ? published * 1.9 : published, retried: outage ? 4 : 0.2, dead: 0},
          ready: Math.round(20 + 15 * Math.abs(Math.sin(i / 9))), deferred: outage ? (i - 290) * 90 : i >= 330 && i < 340 ? (340 - i) * 350 : 12,
          dead: 60 + Math.floor(i / 60), oldestReadySeconds: 0.08 + 0.03 * Math.sin(i / 7) + (outage ? 0.4 + 0.1 * Math.sin(i / 3) : 0)};
      });
      const json = (value) => new Response(JSON.stringify(value), {headers: {'Content-Type': 'application/json'}});
      window.fetch = async (url, options) => {
        if (String(url).includes('/series')) return json({items: hour()});
        const answer = await real(url, options);
        return String(url).endsWith('/overview') ? json({...(await answer.json()), perSecond: hour().at(-1).perSecond}) : answer;
      };
      window.EventSource = class extends EventTarget { readyState = 0; close() {} };
      """;

  private final Path directory =
      Path.of("..").resolve(System.getProperty("posthorn.screenshots", "target/screenshots"));

  /** With a server of its own, so that it leaves nothing to the other tests. */
  @Test
  void areMade() throws IOException {
    try (DashboardUnderTest page = new DashboardUnderTest()) {
      make(page);
    }
    try (var files = Files.list(directory)) {
      assertThat(files).hasSizeGreaterThanOrEqualTo(5);
    }
  }

  private void make(DashboardUnderTest page) {
    Browser browser = page.browser();
    UUID message = fill(page.shop());
    browser
        .driver()
        .executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", SAMPLE_HOUR));

    page.open("");
    browser.awaitText("Destination down");
    save(browser, "overview-light");
    browser.dark();
    save(browser, "overview-dark");
    page.open("#/messages/" + message);
    save(browser, "message-dark");
    browser.light();
    page.open("#/dead-letters?error=smtp");
    browser.awaitText("dead letters");
    save(browser, "dead-letters-light");
    browser.phone();
    page.open("");
    browser.awaitText("Destination down");
    save(browser, "overview-phone");
  }

  private void save(Browser browser, String name) {
    browser.script(
        "return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    browser.screenshot(directory.resolve(name + ".png"));
  }

  private static UUID fill(ShopOutbox shop) {
    String[] errors = {
      "java.net.SocketTimeoutException: connect to smtp.shop.example timed out after 5000 ms",
      "550 5.1.1 mailbox \"anna@example\" unknown to smtp.shop.example",
      "java.lang.IllegalStateException: no template for language \"nn\""
    };
    shop.handle(
        ShopType.ORDER_PLACED,
        (payload, delivery) ->
            DeliveryResult.dead(
                errors[
                    Math.floorMod(delivery.key().hashCode(), 10) < 6
                        ? 0
                        : delivery.key().length() % 2 + 1]));
    List<Message> dead = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      dead.add(order("order-" + (9960 + i)));
    }
    List<UUID> ids = shop.publish(dead);
    shop.handle(
        ShopType.STOCK_CHANGED,
        (payload, delivery) -> DeliveryResult.blockLane("the shelf is being counted"));
    shop.publish(ShopType.STOCK_CHANGED.message("shelf-9").payload("{\"left\":3}").build());
    shop.handle(
        ShopType.INVOICE_SENT,
        (payload, delivery) -> DeliveryResult.retryAfter(Duration.ofMinutes(20)));
    shop.publish(ShopType.INVOICE_SENT.message("invoice-17").payload("{}").build());
    shop.handle(
        ShopType.PARCEL_SENT,
        (payload, delivery) -> {
          throw new DestinationDownException("the depot does not answer", null);
        });
    shop.publishOnly(List.of(ShopType.PARCEL_SENT.message("parcel-3").payload("{}").build()));
    shop.posthorn().admin().as("anna", "billing is being migrated").fleet().pauseHandler("billing");
    return ids.get(3);
  }

  private static Message order(String key) {
    return ShopType.ORDER_PLACED
        .message(key)
        .tenant("north")
        .header("source", "till-7")
        .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        .payload(
            "{\"orderId\":\"%s\",\"customer\":{\"name\":\"Anna\",\"password\":\"x\"},\"lines\":[{\"sku\":\"A-17\",\"amount\":2}]}"
                .formatted(key))
        .build();
  }
}

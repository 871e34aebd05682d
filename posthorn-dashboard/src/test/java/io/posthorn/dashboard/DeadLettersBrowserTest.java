/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.ActionRun;
import io.posthorn.Admin;
import io.posthorn.DeliveryResult;
import io.posthorn.Message;
import io.posthorn.dashboard.ShopOutbox.ShopType;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.WebElement;

@ExtendWith(DashboardExtension.class)
class DeadLettersBrowserTest {
  private static final String BILLING = ShopType.INVOICE_SENT.handler();

  @Test
  void aThousandThatMatchAFilterAreRetriedAndTheOthersStay(DashboardUnderTest page) {
    ShopOutbox shop = page.shop();
    Browser browser = page.browser();
    shop.handle(
        ShopType.INVOICE_SENT,
        (payload, delivery) ->
            DeliveryResult.dead(
                payload.contains("late")
                    ? "bank timeout after 5000 ms: " + delivery.key()
                    : "no such account"));
    List<Message> messages = new ArrayList<>();
    for (int i = 0; i < 1_030; i++) {
      String payload = i < 1_000 ? "{\"state\":\"late\"}" : "{\"state\":\"wrong\"}";
      messages.add(ShopType.INVOICE_SENT.message("invoice-" + i).payload(payload).build());
    }
    shop.publish(messages);
    AtomicInteger billed = new AtomicInteger();
    shop.handle(
        ShopType.INVOICE_SENT,
        (payload, delivery) -> {
          billed.incrementAndGet();
          return DeliveryResult.delivered();
        });

    page.open("#/dead-letters?handler=" + BILLING);
    browser.awaitText("1,030 dead letters");
    browser.find("input[name=error]").sendKeys("bank timeout");
    browser.press("Search");
    browser.awaitText("1,000 dead letters");
    browser.press("Retry all that match");
    browser.awaitText("Retry 1,000 dead letters?");
    browser.awaitText("All that match: error contains bank timeout, handler billing.");
    browser.find("dialog[open] input[name=why]").sendKeys("the bank is back");
    browser.press("Retry 1,000 dead letters");
    browser.awaitText("Retried 1,000 dead letters");
    browser.awaitText("Nothing matches this filter");

    shop.awaitIdle();
    assertThat(billed).hasValue(1_000);
    assertThat(deadLetters(shop, BILLING)).isEqualTo(30);
    browser.follow("Details");
    browser.awaitText("the bank is back");
    assertThat(browser.text()).contains("Retry", DashboardUnderTest.OPERATOR, "1,000", "done");
    shop.posthorn()
        .admin()
        .deadLetters()
        .deleteAll(Admin.Filter.all().handler(BILLING), ActionRun.once());
  }

  @Test
  void errorsThatDifferInNumbersOnlyAreOneGroupThatLeadsToItsLetters(DashboardUnderTest page) {
    Browser browser = page.browser();
    ShopOutbox shop = page.shop();
    for (int i = 1; i <= 3; i++) {
      shop.dead(ShopType.STOCK_CHANGED, "shelf-" + i, "shelf " + i * 17 + " has fallen over");
    }

    page.open("#/dead-letters?view=errors&handler=" + ShopType.STOCK_CHANGED.handler());
    browser.awaitText("shelf # has fallen over");
    browser.press("Show these");

    browser.awaitText("3 dead letters");
    assertThat(browser.text()).contains("shelf 17 has fallen over", "shelf 51 has fallen over");
    assertThat(browser.driver().getCurrentUrl())
        .contains("handler=search-index", "error=has+fallen+over");
  }

  @Test
  void selectedOnesAreResolvedAndThatIsUndone(DashboardUnderTest page) {
    Browser browser = page.browser();
    ShopOutbox shop = page.shop();
    shop.dead(ShopType.PARCEL_SENT, "undo-1", "address unreadable");
    shop.dead(ShopType.PARCEL_SENT, "undo-2", "address unreadable");

    page.open("#/dead-letters?error=address+unreadable");
    browser.awaitText("2 dead letters");
    browser.named("input[type=checkbox]", "Select all shown", 0).click();
    browser.awaitText("2 dead letters selected");
    browser.press("Resolve");
    browser.press("Resolve 2 dead letters");
    browser.awaitText("Resolved 2 dead letters");
    browser.awaitText("Nothing matches this filter");
    browser.press("Undo");

    browser.awaitText("Reopened 2 dead letters");
    browser.awaitText("2 dead letters");
    assertThat(
            shop.posthorn()
                .admin()
                .deadLetters()
                .count(Admin.Filter.all().errorContains("address unreadable"))
                .entries())
        .isEqualTo(2);
  }

  @Test
  void deletingAsksFirstAndSaysHowMany(DashboardUnderTest page) {
    Browser browser = page.browser();
    ShopOutbox shop = page.shop();
    shop.dead(ShopType.PARCEL_SENT, "delete-1", "the parcel is empty");

    page.open("#/dead-letters?error=the+parcel+is+empty");
    browser.press("Delete all that match");
    browser.awaitText("This cannot be undone.");
    browser.press("Keep as it is");
    assertThat(count(shop, "the parcel is empty")).isEqualTo(1);
    browser.press("Delete all that match");
    browser.press("Delete 1 dead letter");

    browser.awaitText("Deleted 1 dead letter");
    assertThat(count(shop, "the parcel is empty")).isZero();
  }

  @Test
  void theWholeStoryOfAMessageIsShownAndItsPayloadIsEditedBeforeTheRetry(DashboardUnderTest page)
      throws InterruptedException {
    Browser browser = page.browser();
    ShopOutbox shop = page.shop();
    shop.handle(
        ShopType.ORDER_PLACED,
        (payload, delivery) -> DeliveryResult.dead("amount was -3 but must be positive"));
    UUID id =
        shop.publish(
            ShopType.ORDER_PLACED
                .message("order-4711")
                .tenant("north")
                .header("source", "till-7")
                .payload("{\"amount\":-3,\"password\":\"sesame\"}")
                .build());
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    shop.handle(
        ShopType.ORDER_PLACED,
        (payload, delivery) -> {
          received.add(payload + " " + delivery.headers().get("source"));
          return DeliveryResult.delivered();
        });

    page.open("#/messages/" + id);
    assertThat(browser.text())
        .contains(
            "dead letter of mailer", "delivered to ledger", "amount was -3 but must be positive")
        .contains("order-4711", "north", "till-7", "\"amount\": -3", "parts are masked")
        .doesNotContain("sesame");
    browser.press("Edit…");
    WebElement payload = browser.find("dialog[open] textarea");
    String shown = payload.getDomProperty("value");
    assertThat(shown).contains("\"amount\": -3").doesNotContain("sesame");
    payload.clear();
    payload.sendKeys(shown.replace("-3", "3"));
    browser.press("Save and retry");

    browser.awaitText("Retried 1 dead letter");
    String got = received.poll(15, TimeUnit.SECONDS);
    assertThat(got).contains("3").doesNotContain("-3").contains("sesame").endsWith("till-7");
    browser.awaitText("delivered to mailer");
  }

  @Test
  void editingOneFieldLeavesLargeNumbersAndTheOrderOfTheOthersAsTheyWere(DashboardUnderTest page)
      throws InterruptedException {
    Browser browser = page.browser();
    ShopOutbox shop = page.shop();
    String payload =
        "{\"orderId\":1234567890123456789,\"amount\":12345678901234567,\"rate\":1.10,\"7\":[],\"note\":\"draft\"}";
    shop.handle(ShopType.ORDER_PLACED, (body, delivery) -> DeliveryResult.dead("a draft"));
    UUID id = shop.publish(ShopType.ORDER_PLACED.message("large").payload(payload).build());
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    shop.handle(
        ShopType.ORDER_PLACED,
        (body, delivery) -> {
          received.add(body);
          return DeliveryResult.delivered();
        });

    page.open("#/messages/" + id);
    assertThat(browser.text())
        .contains("\"orderId\": 1234567890123456789", "\"amount\": 12345678901234567");
    browser.press("Edit…");
    WebElement area = browser.find("dialog[open] textarea");
    String shown = area.getDomProperty("value");
    area.clear();
    area.sendKeys(shown.replace("draft", "final"));
    browser.press("Save and retry");

    browser.awaitText("Retried 1 dead letter");
    assertThat(received.poll(15, TimeUnit.SECONDS))
        .isEqualToIgnoringWhitespace(payload.replace("draft", "final"));
  }

  private static long deadLetters(ShopOutbox shop, String handler) {
    return shop.posthorn()
        .admin()
        .deadLetters()
        .count(Admin.Filter.all().handler(handler))
        .entries();
  }

  private static long count(ShopOutbox shop, String error) {
    return shop.posthorn()
        .admin()
        .deadLetters()
        .count(Admin.Filter.all().errorContains(error))
        .entries();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Admin;
import io.posthorn.DeliveryResult;
import io.posthorn.dashboard.ShopOutbox.ShopType;
import java.util.UUID;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;

/** Ways to and through the page: links, keys, a phone, a proxy, and without the right to act. */
@ExtendWith(DashboardExtension.class)
class NavigationBrowserTest {
  private static final int MAX_TABS = 80;

  @Test
  void aLinkWithAFilterShowsJustThatAndTheBackButtonReturns(DashboardUnderTest page) {
    Browser browser = page.browser();
    page.shop().dead(ShopType.PARCEL_SENT, "link-1", "the lorry is full");
    page.shop().dead(ShopType.PARCEL_SENT, "link-2", "the lorry is late");

    page.open("#/dead-letters?error=the+lorry&key=link-2");
    browser.awaitText("1 dead letter");
    assertThat(browser.text()).contains("the lorry is late").doesNotContain("the lorry is full");
    browser.named("button", "Key link-2 ✕", 0).click();
    browser.awaitText("2 dead letters");
    assertThat(browser.driver().getCurrentUrl()).endsWith("#/dead-letters?error=the+lorry");
    browser.driver().navigate().back();

    browser.awaitText("1 dead letter");
    assertThat(browser.text()).doesNotContain("the lorry is full");
  }

  @Test
  void aDeadLetterIsFoundAndRetriedByKeyboardAlone(DashboardUnderTest page) {
    Browser browser = page.browser();
    ShopOutbox shop = page.shop();
    shop.dead(ShopType.PARCEL_SENT, "keys-1", "the bell is broken");
    shop.handle(ShopType.PARCEL_SENT, (payload, delivery) -> DeliveryResult.delivered());

    page.open("");
    browser.type(Keys.TAB);
    assertThat(browser.focused()).isEqualTo("Skip to content");
    tabTo(browser, "Dead letters");
    browser.type(Keys.ENTER);
    browser.find("input[name=error]");
    tabTo(browser, "Error contains");
    browser.type("the bell is broken", Keys.ENTER);
    browser.awaitText("1 dead letter");
    tabTo(browser, "Select all shown");
    browser.type(Keys.SPACE);
    browser.awaitText("1 dead letter selected");
    tabBackTo(browser, "Retry");
    browser.type(Keys.ENTER);
    browser.awaitText("Retry 1 dead letter?");
    browser.type(Keys.ESCAPE);
    browser.awaitNoText("Retry 1 dead letter?");
    assertThat(browser.focused()).as("the focus returns").isEqualTo("Retry");
    browser.type(Keys.ENTER);
    browser.awaitText("Retry 1 dead letter?");
    browser.type("repaired", Keys.ENTER);

    browser.awaitText("Retried 1 dead letter");
    browser.awaitText("Nothing matches this filter");
  }

  private static void tabTo(Browser browser, String name) {
    tab(browser, name, Keys.TAB);
  }

  private static void tabBackTo(Browser browser, String name) {
    tab(browser, name, Keys.chord(Keys.SHIFT, Keys.TAB));
  }

  private static void tab(Browser browser, String name, CharSequence key) {
    for (int tabs = 0; tabs < MAX_TABS; tabs++) {
      browser.type(key);
      if (browser.focused().startsWith(name)) {
        assertThat(browser.script("return getComputedStyle(document.activeElement).outlineStyle"))
            .as("the focus on %s is visible", name)
            .isNotEqualTo("none");
        return;
      }
    }
    throw new AssertionError(name + " was not reached by " + MAX_TABS + " tabs");
  }

  @Test
  void aPhoneHasAMenuAndButtonsLargeEnoughForAThumb(DashboardUnderTest page) {
    Browser browser = page.browser();
    browser.phone();

    page.open("");
    browser.press("Menu");
    browser.follow("Lanes");
    browser.await(
        "the page of lanes", "return document.querySelector('h1')?.textContent === 'Lanes'");

    assertThat(browser.script("return document.querySelector('nav#navigation').checkVisibility()"))
        .isEqualTo(false);
    assertThat(
            (Long)
                browser.script(
                    "return Math.round(document.querySelector('.menu').getBoundingClientRect().height)"))
        .isGreaterThanOrEqualTo(40);
  }

  @Test
  void worksBehindAProxyWithAnotherPathThatPassesNoEvents(DashboardUnderTest page) {
    Browser browser = page.browser();

    browser.open(page.proxiedUrl());
    browser.awaitText("Live");
    browser.awaitText("relays at work");
    browser.follow("Handlers");
    browser.named("button", "Pause ledger", 0).click();
    browser.press("Pause handler");
    browser.awaitText("Paused handler ledger");
    browser.press("Undo");
    browser.awaitText("Resumed handler ledger");
    long before = browser.deadLetters();
    page.shop().dead(ShopType.PARCEL_SENT, "polled", "the driver is asleep");
    browser.awaitDeadLetters(before);

    assertThat(browser.driver().getCurrentUrl()).contains("/tools/outbox/#/handlers");
    assertThat(browser.complaints()).isNotEmpty().allMatch(each -> each.contains("api/v1/events"));
  }

  @Test
  void withoutTheSlashAtTheEndItRedirectsToIt(DashboardUnderTest page) {
    String url = page.url();

    page.browser().open(url.substring(0, url.length() - 1));

    assertThat(page.browser().driver().getCurrentUrl()).startsWith(url);
  }

  @Test
  void aReadOnlyServerOffersNothingToChangeAndRefusesIt(DashboardUnderTest page) {
    Browser browser = page.browser();
    UUID id = page.shop().dead(ShopType.PARCEL_SENT, "read-only", "the key is bent");

    for (String place :
        new String[] {
          "#/dead-letters?error=the+key+is+bent",
          "#/messages/" + id,
          "#/handlers",
          "#/instances",
          "#/lanes"
        }) {
      browser.open(page.readOnlyUrl() + place);
      browser.awaitText("Read-only");
      assertThat(browser.buttons())
          .as(place)
          .noneMatch(
              each -> each.matches("(Retry|Delete|Resolve|Pause|Resume|Unblock|Skip|Edit).*"));
      assertThat(
              browser.script(
                  "return document.querySelectorAll('main input[type=checkbox]').length"))
          .isEqualTo(0L);
    }
    Object answer =
        browser.script(
            "return fetch('api/v1/actions/00000000-0000-4000-8000-000000000001', {method: 'PUT', headers: {'Content-Type': 'application/json'},"
                + " body: JSON.stringify({kind: 'DELETE', filter: {}})}).then(async (r) => ({status: r.status, detail: (await r.json()).detail}))");
    assertThat(answer)
        .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
        .containsEntry("status", 403L)
        .hasEntrySatisfying(
            "detail", detail -> assertThat(detail).asString().contains("read-only"));
    assertThat(
            page.shop()
                .posthorn()
                .admin()
                .deadLetters()
                .count(Admin.Filter.all().errorContains("the key is bent"))
                .entries())
        .isEqualTo(1);
    assertThat(browser.complaints()).hasSize(1).allMatch(each -> each.contains("403"));
  }
}

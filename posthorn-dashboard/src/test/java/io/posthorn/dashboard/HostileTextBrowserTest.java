/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.DeliveryResult;
import io.posthorn.dashboard.ShopOutbox.ShopType;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Script in whatever comes from messages and operators is shown as text; an alert fails the test.
 */
@ExtendWith(DashboardExtension.class)
class HostileTextBrowserTest {
  private static final String TYPE = "<script>alert('type')</script>";
  private static final String HANDLER = "<img src=x onerror=alert('handler')>";
  private static final String KEY = "\"><script>alert('key')</script>";
  private static final String TENANT = "<svg onload=alert('tenant')>";
  private static final String ERROR =
      "</pre><iframe srcdoc=\"<script>alert('error')</script>\">${alert('error')}";
  private static final String HEADER =
      "javascript:alert('header')//<b onmouseover=alert('header')>";
  private static final String PAYLOAD =
      "{\"x\":\"</pre><script>alert('payload')</script>{{alert(1)}}\"}";
  private static final String WHY = "<a href=\"javascript:alert('why')\">why</a>";

  /** Elements that only hostile text could have made. */
  private static final String INTRUDERS =
      "return [...document.querySelectorAll('body script, main img, iframe, main b[onmouseover], [onload], [onerror], a[href^=\"javascript\"]')].map((e) => e.outerHTML)";

  @Test
  void isShownAsTextOnEveryPage(DashboardUnderTest page) {
    Browser browser = page.browser();
    ShopOutbox shop = page.shop();
    shop.handle(ShopType.HOSTILE, (payload, delivery) -> DeliveryResult.dead(ERROR));
    UUID dead =
        shop.publish(
            ShopType.HOSTILE
                .message(KEY)
                .tenant(TENANT)
                .header("x-hostile", HEADER)
                .payload(PAYLOAD)
                .build());
    shop.handle(ShopType.HOSTILE, (payload, delivery) -> DeliveryResult.blockLane(ERROR));
    shop.publish(ShopType.HOSTILE.message(KEY + "2").payload(PAYLOAD).build());
    shop.posthorn().admin().as("<u>" + WHY, WHY).fleet().pauseHandler(HANDLER);
    UUID pause = shop.posthorn().admin().actions().page(null, 1).items().get(0).id();
    String handler = "handler=" + encoded(HANDLER);

    shows(page, "", HANDLER);
    shows(page, "#/dead-letters?" + handler, TYPE, HANDLER, KEY, ERROR);
    shows(page, "#/dead-letters?view=errors&" + handler, TYPE, HANDLER);
    shows(page, "#/waiting?" + handler, HANDLER);
    shows(page, "#/lanes?" + handler, HANDLER, KEY + "2", ERROR);
    shows(page, "#/handlers", TYPE, HANDLER);
    shows(page, "#/instances", HANDLER);
    shows(page, "#/delivered?type=" + encoded(TYPE), TYPE, KEY);
    shows(page, "#/actions", HANDLER, WHY, "<u>");
    shows(page, "#/actions/" + pause, HANDLER, WHY);
    shows(
        page,
        "#/messages/" + dead,
        TYPE,
        HANDLER,
        KEY,
        TENANT,
        ERROR,
        HEADER,
        "</pre><script>alert('payload')</script>");
    browser.press("Retry");
    browser.awaitText(TYPE + " for " + HANDLER);
    assertThat(browser.script(INTRUDERS)).isEqualTo(List.of());
    browser.press("Keep as it is");
    browser.press("Edit…");
    browser.await(
        "the payload to edit",
        "return document.querySelector('dialog[open] textarea')?.value.includes(\"alert('payload')\")");
    assertThat(browser.script(INTRUDERS)).isEqualTo(List.of());
    shop.posthorn().admin().fleet().resumeHandler(HANDLER);
  }

  @Test
  void inTheAddressIsTextToo(DashboardUnderTest page) {
    Browser browser = page.browser();

    page.open("#/dead-letters?error=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E");
    browser.awaitText("<img src=x onerror=alert(1)>");
    assertThat(browser.script(INTRUDERS)).isEqualTo(List.of());
    page.open("#/%3Cscript%3Ealert(1)%3C/script%3E");
    browser.awaitText("There is no such page");
    page.open("#/dead-letters/%E0%A4%A?key=%E0%A4%A");
    assertThat(browser.script(INTRUDERS)).isEqualTo(List.of());
  }

  @Test
  void evenCodeThatGetsIntoThePageDoesNotRun(DashboardUnderTest page) {
    Browser browser = page.browser();
    page.open("");

    Object refused =
        browser.script(
            "const s = document.createElement('script'); try { s.textContent = 'window.ran = 1'; document.body.append(s); } catch (e) { return e.name; } return window.ran ?? 'did not run'");

    assertThat(refused).isEqualTo("TypeError");
    assertThat(browser.complaints()).isNotEmpty().allMatch(each -> each.contains("TrustedScript"));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static void shows(DashboardUnderTest page, String place, String... texts) {
    page.open(place);
    for (String text : texts) {
      page.browser().awaitText(text);
    }
    assertThat(page.browser().script(INTRUDERS)).as(place).isEqualTo(List.of());
  }
}

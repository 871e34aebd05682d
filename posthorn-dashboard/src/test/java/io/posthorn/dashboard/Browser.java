/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;

/** What a user does in the browser, in the terms of a user. Every wait ends after 20 s. */
final class Browser implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  /** Resolves when the condition holds: looks whenever the page changes, and 20 times a second. */
  private static final String AWAIT =
      """
      const args = arguments;
      return new Promise((resolve) => {
        const end = Date.now() + %d;
        const look = () => {
          let found;
          try { found = (function () { %s }).apply(null, args); } catch (e) { found = null; }
          if (found) { done(found); } else if (Date.now() > end) { done(null); }
        };
        const done = (value) => { observer.disconnect(); clearInterval(timer); resolve(value); };
        const observer = new MutationObserver(look);
        const timer = setInterval(look, 50);
        observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
        look();
      });
      """;

  private static final String BY_NAME =
      """
      const [selector, name, index] = arguments;
      const nameOf = (e) => (e.getAttribute('aria-label') || e.textContent).replace(/\\s+/g, ' ').trim();
      const shown = (e) => e.checkVisibility() && !e.disabled && (!document.querySelector('dialog[open]') || e.closest('dialog'));
      return [...document.querySelectorAll(selector)].filter((e) => shown(e) && nameOf(e) === name)[index];
      """;

  private static final String DEAD_LETTERS =
      "return Number(document.querySelector('nav .count')?.textContent ?? 0)";

  private final ChromeDriver driver;

  Browser() {
    driver = Chromium.start();
    driver.manage().timeouts().scriptTimeout(DEADLINE.plusSeconds(5));
    desktop();
    light();
  }

  ChromeDriver driver() {
    return driver;
  }

  /** Opens a page afresh, even if only what follows the # differs. */
  void open(String url) {
    driver.get("about:blank");
    driver.get(url);
    await(
        "the page",
        "return document.querySelector('main h1') && !document.querySelector('main .loading')");
  }

  void desktop() {
    size(1280, 860, false);
  }

  void phone() {
    size(390, 844, true);
  }

  private void size(int width, int height, boolean mobile) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", mobile));
  }

  void light() {
    colors("light");
  }

  void dark() {
    colors("dark");
  }

  private void colors(String scheme) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(
                Map.of("name", "prefers-color-scheme", "value", scheme),
                Map.of("name", "prefers-reduced-motion", "value", "reduce"))));
  }

  /** Whether requests fail. */
  void offline(boolean yes) {
    driver.executeCdpCommand("Network.enable", Map.of());
    driver.executeCdpCommand(
        "Network.emulateNetworkConditions",
        Map.of("offline", yes, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
  }

  Object script(String script, Object... args) {
    return driver.executeScript(script, args);
  }

  /** The value of a JavaScript function once it is neither null nor false. */
  Object await(String what, String function, Object... args) {
    Object found = script(AWAIT.formatted(DEADLINE.toMillis(), function), args);
    if (found == null) {
      throw new AssertionError(
          "%s was not there after %s; the page at %s said: %s"
              .formatted(what, DEADLINE, driver.getCurrentUrl(), text()));
    }
    return found;
  }

  String text() {
    return (String) script("return document.body.innerText");
  }

  void awaitText(String text) {
    await("\"" + text + "\"", "return document.body.innerText.includes(arguments[0])", text);
  }

  void awaitNoText(String text) {
    await(
        "a page without \"" + text + "\"",
        "return !document.body.innerText.includes(arguments[0])",
        text);
  }

  /** A real click: it fails if something covers the button. */
  void press(String button) {
    press(button, 0);
  }

  void press(String button, int index) {
    named("button, a.button", button, index).click();
  }

  void follow(String link) {
    named("a", link, 0).click();
  }

  WebElement named(String selector, String name, int index) {
    WebElement element =
        (WebElement) await(selector + " \"" + name + "\"", BY_NAME, selector, name, index);
    script("arguments[0].scrollIntoView({block: 'center'})", element);
    return element;
  }

  WebElement find(String selector) {
    return (WebElement) await(selector, "return document.querySelector(arguments[0])", selector);
  }

  /** The keys go to whatever has the focus. */
  void type(CharSequence... keys) {
    driver.switchTo().activeElement().sendKeys(keys);
  }

  /** The accessible name or the text of what has the focus. */
  String focused() {
    return (String)
        script(
            "const e = document.activeElement; return (e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent).replace(/\\s+/g, ' ').trim()");
  }

  /** The names of all buttons of the page. */
  @SuppressWarnings("unchecked")
  List<String> buttons() {
    return (List<String>)
        script(
            "return [...document.querySelectorAll('main button')].map((e) => (e.getAttribute('aria-label') || e.textContent).trim())");
  }

  /** How many dead letters the navigation tells of. */
  long deadLetters() {
    return (long) script(DEAD_LETTERS);
  }

  void awaitDeadLetters(long moreThan) {
    await(
        "another dead letter",
        "return (function () {" + DEAD_LETTERS + "})() > arguments[0]",
        moreThan);
  }

  /** What axe-core finds wrong with the page, one line each. */
  List<String> accessibilityProblems() {
    return accessibilityProblems("");
  }

  /** The same for colours only: what else there is does not depend on them. */
  List<String> contrastProblems() {
    return accessibilityProblems("runOnly: ['color-contrast'], ");
  }

  @SuppressWarnings("unchecked")
  private List<String> accessibilityProblems(String options) {
    if (script("return window.axe ? 1 : null") == null) {
      script(Axe.SOURCE);
    }
    return (List<String>)
        script(
            "return axe.run(document, {"
                + options
                + "resultTypes: ['violations']}).then((result) => result.violations.flatMap("
                + "(v) => v.nodes.map((n) => v.id + ' at ' + n.target.join(' ') + ': ' + n.failureSummary)))");
  }

  /**
   * Errors of scripts, violations of the content security policy and failed requests since the last
   * call.
   */
  List<String> complaints() {
    List<String> complaints = new ArrayList<>();
    for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
      if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
        complaints.add(entry.getMessage());
      }
    }
    return complaints;
  }

  void screenshot(Path file) {
    Map<String, Object> shot =
        driver.executeCdpCommand(
            "Page.captureScreenshot", Map.of("format", "png", "optimizeForSpeed", false));
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, Base64.getDecoder().decode((String) shot.get("data")));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    driver.quit();
  }

  private static final class Axe {
    static final String SOURCE = source();

    private static String source() {
      try (InputStream file = Axe.class.getResourceAsStream("/axe.min.js")) {
        return new String(file.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** The browser of this machine, without a window. */
final class Chromium {
  static final String ADVICE =
      "no Chromium with its driver here; on Debian: apt-get install chromium chromium-driver";

  private static final List<String> FLAGS =
      List.of(
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--disable-dev-shm-usage",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--hide-scrollbars",
          "--lang=en");

  private Chromium() {}

  static boolean installed() {
    return browser().isPresent() && driver().isPresent();
  }

  static ChromeDriver start() {
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(browser().orElseThrow().toFile());
    options.addArguments(FLAGS);
    options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
    return new ChromeDriver(
        new ChromeDriverService.Builder()
            .usingDriverExecutable(driver().orElseThrow().toFile())
            .usingAnyFreePort()
            .build(),
        options);
  }

  private static Optional<Path> browser() {
    return first("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
  }

  private static Optional<Path> driver() {
    return first("/usr/bin/chromedriver", "/usr/local/bin/chromedriver");
  }

  private static Optional<Path> first(String... paths) {
    return Stream.of(paths).map(Path::of).filter(Files::isExecutable).findFirst();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The shop as {@code bin/shop} starts it: with what it has at run time, and nothing of what tests
 * have on their class path besides.
 */
@Timeout(180)
class LaunchTest {
  private static final Pattern OPEN =
      Pattern.compile("The shop is open at http://localhost:(\\d+)");

  @Test
  void theShopNeedsNothingButItsRuntimeDependencies(@TempDir Path directory) throws Exception {
    Path output = directory.resolve("output");
    Process shop = start(output);
    try {
      Browser browser = new Browser(awaitPort(shop, output));
      browser.post(201, "/orders", "{\"item\": \"lamp\", \"email\": \"ada@example.com\"}");
      Eventually.holds(() -> browser.get("/mail"), mails -> mails.contains("ada@example.com"));
      assertThat(browser.get("/actuator/health")).contains("posthorn");
      assertThat(Files.readString(output)).contains("/posthorn in a browser");
      assertThat(browser.get("/posthorn/")).contains("<title>Posthorn");

      shop.destroy(); // in the orderly way
      assertThat(shop.waitFor(30, TimeUnit.SECONDS)).as("stopped in time").isTrue();
    } finally {
      shop.destroyForcibly().waitFor();
    }
  }

  /** With the same class path as {@code bin/lib/launch.sh}. */
  private static Process start(Path output) throws IOException {
    Path target = Path.of("target");
    String classPath =
        target.resolve("classes")
            + File.pathSeparator
            + Files.readString(target.resolve("class-path.txt")).strip();
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1", // both: starts sooner
            "-cp",
            classPath,
            Shop.class.getName(),
            "--server.port=0")
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
  }

  private static int awaitPort(Process shop, Path output) throws Exception {
    String said =
        Eventually.holds(
            () -> Files.readString(output), text -> OPEN.matcher(text).find() || !shop.isAlive());
    Matcher port = OPEN.matcher(said);
    assertThat(port.find()).as("the shop did not start: %s", said).isTrue();
    return Integer.parseInt(port.group(1));
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.Posthorn;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/** What is logged by an application that gets a signal to end. first-hour.md, 6. */
class ShutdownLogCrashTest {
  private static final String READY = "the application is ready";

  /** The application, which ends when it is told to. */
  public static final class Application {
    private Application() {}

    /** Runs until the process is ended. */
    public static void main(String[] arguments) throws InterruptedException {
      ConfigurableApplicationContext context = Shop.run(Shop.class, "posthorn.relay.name=shop-1");
      context.getBean(Posthorn.class).relay().awaitIdle(Duration.ofSeconds(60));
      System.out.println(READY);
      new CountDownLatch(1).await();
    }
  }

  @Test
  @Timeout(120)
  void theRelaysLastLinesAreNotLost() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Application.class.getName())
            .redirectErrorStream(true)
            .start();
    List<String> lines;
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      lines = linesUntilReady(output);
      process.toHandle().destroy(); // SIGTERM
      output.lines().forEach(lines::add);
    } finally {
      process.waitFor(60, TimeUnit.SECONDS);
      process.destroyForcibly();
    }

    assertThat(lines)
        .anyMatch(line -> line.contains("io.posthorn") && line.contains("[shop-1] started: relay"))
        .anyMatch(
            line ->
                line.contains(
                    "[shop-1] stopped: 0 deliveries interrupted, 64 partitions returned"));
  }

  private static List<String> linesUntilReady(BufferedReader output) throws IOException {
    List<String> lines = new ArrayList<>();
    String line = output.readLine();
    while (line != null && !line.equals(READY)) {
      lines.add(line);
      line = output.readLine();
    }
    assertThat(line).as("all: %s", lines).isNotNull();
    return lines;
  }
}

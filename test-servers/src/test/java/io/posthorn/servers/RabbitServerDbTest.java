/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** What uses a node is tested with the sender; here is what only a test run sees. */
@Timeout(120)
@EnabledIf("io.posthorn.servers.RabbitServer#installed")
class RabbitServerDbTest {

  @Test
  void nodeOfANormalUserDiesWithItsKilledJvmAndSoDoesItsPortMapper(@TempDir Path directory)
      throws Exception {
    try (ServerInAnotherJvm jvm = ServerInAnotherJvm.ofNormalUser(directory, "rabbit")) {
      int port = URI.create(jvm.url()).getPort();
      assertThatCode(() -> AmqpWire.ask(port, "/")).doesNotThrowAnyException();
      List<ProcessHandle> processes = runningBelow(directory.resolve("tmp"));
      assertThat(processes).hasSizeGreaterThanOrEqualTo(2);

      jvm.kill();

      Eventually.holds(
          "node and port mapper are gone",
          () -> processes.stream().noneMatch(ProcessHandle::isAlive));
    }
  }

  /** Those with a log or a data file there open: the node and the port mapper. */
  private static List<ProcessHandle> runningBelow(Path directory) {
    return ProcessHandle.allProcesses()
        .filter(process -> printsBelow(process, directory))
        .filter(
            process -> process.info().command().filter(RabbitServerDbTest::isErlang).isPresent())
        .toList();
  }

  private static boolean printsBelow(ProcessHandle process, Path directory) {
    try {
      return Path.of("/proc", Long.toString(process.pid()), "fd/1")
          .toRealPath()
          .startsWith(directory.toRealPath());
    } catch (IOException gone) {
      return false;
    }
  }

  private static boolean isErlang(String command) {
    return command.endsWith("/beam.smp") || command.endsWith("/epmd");
  }

  @Test
  @Tag("long")
  void stopKillAndStartKeepThePort() {
    try (RabbitServer server = new RabbitServer()) {
      server.start();
      int port = URI.create(server.uri()).getPort();
      server.kill();
      assertThatThrownBy(() -> AmqpWire.ask(port, "/")).isInstanceOf(IOException.class);
      server.start();
      server.stop();
      assertThat(server.running()).isFalse();
      server.start();

      assertThatCode(() -> AmqpWire.ask(port, "/")).doesNotThrowAnyException();
    }
  }
}

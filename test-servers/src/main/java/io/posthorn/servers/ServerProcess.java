/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A running server that cannot outlive this JVM.
 *
 * <p>It is started by a shell that first leaves a keeper behind and then becomes the server,
 * keeping its process id. The keeper reads signal names from a pipe that only this JVM holds and
 * sends them on; when the pipe ends, because the JVM is gone however it died, it ends the server.
 * It is no child of the server, which might wonder about it, and it compares the tick of birth, so
 * that a later process with the same id is left alone.
 */
final class ServerProcess {

  private static final String KEEPER_THEN_SERVER =
      """
      last_signal=$1; shift
      birth=$(cut -d' ' -f22 /proc/$$/stat)
      exec 3<&0 </dev/null
      (
        {
          trap '' HUP INT TERM
          alive() { [ "$(cut -d' ' -f22 /proc/$$/stat)" = "$birth" ]; }
          while read -r signal; do alive && kill -s "$signal" $$; done
          alive && kill -s "$last_signal" $$
          tries=0
          while alive && [ $tries -lt 30 ]; do sleep 0.1; tries=$((tries + 1)); done
          alive && kill -s KILL $$
        } <&3 3<&- >/dev/null 2>&1 &
      )
      exec "$@" 3<&-
      """;

  private final Process process;

  private ServerProcess(Process process) {
    this.process = process;
  }

  /**
   * Starts a server.
   *
   * @param lastSignal what ends it at once when this JVM dies; SIGKILL follows after three seconds
   * @param log receives what it prints, after what is there already
   */
  static ServerProcess launch(Command server, String lastSignal, Path log) throws IOException {
    Command shell =
        server.behind(List.of("sh", "-c", KEEPER_THEN_SERVER, "posthorn-server", lastSignal));
    ProcessBuilder builder =
        shell.quietBuilder().redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    return new ServerProcess(builder.start());
  }

  long pid() {
    return process.pid();
  }

  boolean alive() {
    return process.isAlive();
  }

  List<ProcessStamp> children() {
    return process.children().flatMap(child -> ProcessStamp.of(child.pid()).stream()).toList();
  }

  void signal(String name) {
    try {
      process.getOutputStream().write((name + "\n").getBytes(US_ASCII));
      process.getOutputStream().flush();
    } catch (IOException keeperGone) {
      kill();
    }
  }

  void kill() {
    process.destroyForcibly();
  }

  boolean ends(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServerException("Interrupted while waiting for process " + pid() + " to end", e);
    }
  }
}

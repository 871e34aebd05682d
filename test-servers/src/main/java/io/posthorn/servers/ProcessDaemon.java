/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A server that is one process, ends in order by SIGTERM, and leaves nothing behind if killed. */
final class ProcessDaemon implements Daemon {

  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(20);

  private final String product;
  private final Path directory;
  private final Command command;
  private final Answering answering;
  private final ServerLog log;
  private @Nullable ServerProcess process;

  /** Whether a server answers, as a client would ask it. */
  @FunctionalInterface
  interface Answering {
    /**
     * @throws IOException if it does not answer yet
     */
    void ask() throws IOException;
  }

  /**
   * @param directory holds its data and its log, and is deleted with it
   */
  ProcessDaemon(String product, Path directory, Command command, Answering answering) {
    this.product = product;
    this.directory = directory;
    this.command = command;
    this.answering = answering;
    this.log = new ServerLog(directory.resolve("server.log"));
  }

  @Override
  public boolean running() {
    return process != null && process.alive();
  }

  @Override
  public void start() {
    try {
      ServerProcess started = ServerProcess.launch(command, "KILL", log.file());
      process = started;
      String problem = awaitAnswer(started);
      if (!problem.isEmpty()) {
        kill();
        throw new ServerException(product + " not started: " + problem + ". " + log.tail());
      }
    } catch (IOException e) {
      throw new ServerException(product + " not started: " + command.words() + " cannot be run", e);
    }
  }

  /** Returns what went wrong, or nothing. */
  private String awaitAnswer(ServerProcess started) {
    long start = System.nanoTime();
    while (!started.ends(POLL)) {
      try {
        answering.ask();
        return "";
      } catch (IOException notYet) {
        if (System.nanoTime() - start > START_LIMIT.toNanos()) {
          return "no answer within " + START_LIMIT.toSeconds() + " s (" + notYet.getMessage() + ")";
        }
      }
    }
    return "the process ended";
  }

  @Override
  public void stop() {
    ServerProcess stopping = process;
    if (stopping == null || !stopping.alive()) {
      return;
    }
    stopping.signal("TERM");
    if (!stopping.ends(STOP_LIMIT)) {
      kill();
      throw new ServerException(
          "%s killed: it did not stop within %d s of SIGTERM. %s"
              .formatted(product, STOP_LIMIT.toSeconds(), log.tail()));
    }
  }

  void signal(String name) {
    if (process != null) {
      process.signal(name);
    }
  }

  /** Sends SIGSTOP and waits until it stands still. */
  void freeze() {
    ServerProcess frozen = process;
    if (frozen == null || !frozen.alive()) {
      return;
    }
    frozen.signal("STOP");
    long start = System.nanoTime();
    while (!ProcessStamp.standsStill(frozen.pid())) {
      if (System.nanoTime() - start > STOP_LIMIT.toNanos()) {
        throw new ServerException(
            "%s not frozen within %d s".formatted(product, STOP_LIMIT.toSeconds()));
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  @Override
  public void stopAtOnce() {
    kill();
  }

  @Override
  public void kill() {
    ServerProcess victim = process;
    if (victim == null) {
      return;
    }
    victim.kill();
    long start = System.nanoTime();
    while (victim.alive()) {
      if (System.nanoTime() - start > STOP_LIMIT.toNanos()) {
        throw new ServerException(
            "%s still there %d s after SIGKILL: end process %d by hand"
                .formatted(product, STOP_LIMIT.toSeconds(), victim.pid()));
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  @Override
  public void delete() {
    try {
      ServerFiles.remove(directory);
    } catch (IOException e) {
      throw new ServerException("Directory " + directory + " not deleted: delete it by hand", e);
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** PostgreSQL's main process on one data directory. Not thread-safe: its server holds the lock. */
final class Postmaster implements Daemon {

  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(10);

  private final Path directory;
  private final int port;
  private final PostgresInstallation installation;
  private final Command command;
  private final ServerLog log;
  private @Nullable ServerProcess process;

  private Postmaster(Path directory, int port, PostgresInstallation installation) {
    this.directory = directory;
    this.port = port;
    this.installation = installation;
    this.command = installation.server(dataIn(directory));
    this.log = new ServerLog(directory.resolve("server.log"));
  }

  /** Makes a data directory in an empty one; starts nothing. */
  static Postmaster prepare(
      Path directory, PostgresInstallation installation, PostgresSettings settings, int port)
      throws IOException {
    installation.copyTemplate(dataIn(directory));
    Postmaster prepared = new Postmaster(directory, port, installation);
    prepared.configure(settings);
    return prepared;
  }

  private void configure(PostgresSettings settings) throws IOException {
    Files.writeString(
        dataIn(directory).resolve("postgresql.conf"),
        settings.with("port", Integer.toString(port)).asConfiguration(),
        StandardOpenOption.APPEND);
  }

  /**
   * Makes a standby of this running server in an empty directory; starts nothing.
   *
   * @param primaryPort by which it gets here
   */
  Postmaster prepareStandby(
      Path standbyDirectory, PostgresSettings settings, int primaryPort, int standbyPort)
      throws IOException {
    Path data = dataIn(standbyDirectory);
    DataCopy.make(dataIn(directory), port, data);
    Postmaster standby = new Postmaster(standbyDirectory, standbyPort, installation);
    standby.configure(
        settings.with("primary_conninfo", "host=127.0.0.1 port=" + primaryPort + " user=postgres"));
    Files.createFile(data.resolve("standby.signal"));
    installation.own(data);
    return standby;
  }

  void backUp(Path target) {
    try {
      DataCopy.make(dataIn(directory), port, dataIn(target));
    } catch (IOException e) {
      throw new ServerException("PostgreSQL on port " + port + " not copied to " + target, e);
    }
  }

  /** Ends the server as a crash would, and puts a copy in the place of its data. */
  void restore(Path copy) {
    kill();
    Path data = dataIn(directory);
    try {
      ServerFiles.freeMemory(directory);
      new FileTree(data).delete();
      new FileTree(copy).copyTo(data);
      installation.own(data);
    } catch (IOException e) {
      throw new ServerException("PostgreSQL on port " + port + " not restored from " + copy, e);
    }
  }

  /** Makes a primary of a running standby, and waits until it is one. */
  void promote() {
    try (PostgresWire wire = PostgresWire.connect(port, "postgres")) {
      wire.execute("SELECT 1 / pg_promote(true, %d)::int".formatted(STOP_LIMIT.toSeconds()));
    } catch (IOException e) {
      throw new ServerException("PostgreSQL on port " + port + " not promoted. " + log.tail(), e);
    }
  }

  static Path dataIn(Path directory) {
    return directory.resolve("data");
  }

  @Override
  public boolean running() {
    return process != null && process.alive();
  }

  @Override
  public void start() {
    kill(); // if it died by itself, its children may still be about
    try {
      ServerProcess started = ServerProcess.launch(command, "QUIT", log.file());
      process = started;
      String problem = awaitAnswer(started);
      if (!problem.isEmpty()) {
        throw new ServerException(
            "PostgreSQL not started on port " + port + ": " + problem + ". " + log.tail());
      }
    } catch (IOException e) {
      throw new ServerException("PostgreSQL not started: " + command.words() + " cannot be run", e);
    } catch (ServerException e) {
      kill();
      throw e;
    }
  }

  /** Returns what went wrong, or nothing. */
  private String awaitAnswer(ServerProcess started) {
    long start = System.nanoTime();
    while (!started.ends(POLL)) {
      try {
        PostgresWire.connect(port, "postgres").close();
        return "";
      } catch (IOException notYet) {
        if (System.nanoTime() - start > START_LIMIT.toNanos()) {
          return "no answer within " + START_LIMIT.toSeconds() + " s (" + notYet.getMessage() + ")";
        }
      }
    }
    return "the process ended";
  }

  /** A fast shutdown, as PostgreSQL calls it. */
  @Override
  public void stop() {
    stop("INT");
  }

  /** An immediate shutdown, as PostgreSQL calls it: the next start recovers. */
  @Override
  public void stopAtOnce() {
    stop("QUIT");
  }

  private void stop(String signal) {
    ServerProcess stopping = process;
    if (stopping == null || !stopping.alive()) {
      return;
    }
    stopping.signal(signal);
    if (!stopping.ends(STOP_LIMIT)) {
      kill();
      throw new ServerException(
          "PostgreSQL on port "
              + port
              + " killed: it did not stop within "
              + STOP_LIMIT.toSeconds()
              + " s of SIG"
              + signal
              + ". "
              + log.tail());
    }
  }

  /**
   * Ends the main process alone. Its children see that and end by themselves; until the last one is
   * gone a new server would refuse to start.
   */
  @Override
  public void kill() {
    ServerProcess victim = process;
    if (victim == null) {
      return;
    }
    List<ProcessStamp> children = victim.children();
    Optional<PostmasterFile> file = PostmasterFile.in(dataIn(directory));
    victim.kill();
    long start = System.nanoTime();
    while (victim.alive()
        || children.stream().anyMatch(ProcessStamp::alive)
        || file.filter(PostmasterFile::memoryInUse).isPresent()) {
      if (System.nanoTime() - start > STOP_LIMIT.toNanos()) {
        throw new ServerException(
            "Processes of PostgreSQL on port "
                + port
                + " still there "
                + STOP_LIMIT.toSeconds()
                + " s after SIGKILL: end them by hand: "
                + children);
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  /** Deletes the directory of a stopped server. */
  @Override
  public void delete() {
    try {
      ServerFiles.remove(directory);
    } catch (IOException e) {
      throw new ServerException("Directory " + directory + " not deleted: delete it by hand", e);
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A PostgreSQL server of our own, durable as in production, that listens on 127.0.0.1 only and lets
 * the user {@code postgres} in without a password.
 *
 * <pre>{@code
 * try (PostgresServer server = PostgresServer.newest().withSetting("wal_level", "logical")) {
 *   server.start();
 *   Connection connection = DriverManager.getConnection(server.jdbcUrl());
 * }
 * }</pre>
 *
 * <p>The binaries are unpacked once per user into a directory below {@code java.io.tmpdir}. This
 * module needs no JDBC driver; whoever uses the URLs does.
 */
public final class PostgresServer implements DatabaseServer {

  private static final AtomicInteger FRESH_DATABASES = new AtomicInteger();

  private final String version;
  private final ReservedPort port;
  private final ServerLifecycle<Postmaster> lifecycle;
  private volatile PostgresSettings settings = PostgresSettings.durable();

  PostgresServer(String version, Function<Path, Account> accounts) {
    this.version = version;
    this.port = ReservedPort.find();
    this.lifecycle = new ServerLifecycle<>("postgres", port, () -> prepare(accounts));
  }

  private PostgresServer(PostgresServer primary, int primaryPort) {
    this.version = primary.version;
    this.settings = primary.settings;
    this.port = ReservedPort.find();
    this.lifecycle =
        new ServerLifecycle<>("postgres", port, () -> prepareStandby(primary, primaryPort));
  }

  /**
   * A standby of a running server, not yet started. Its first start copies the data of the primary;
   * then it follows.
   *
   * @param primaryPort by which it gets to the primary: its own, or that of a proxy
   */
  public static PostgresServer standbyOf(PostgresServer primary, int primaryPort) {
    return new PostgresServer(primary, primaryPort);
  }

  private Postmaster prepare(Function<Path, Account> accounts) {
    Platform.check();
    ServerFiles files = ServerFiles.ofThisUser();
    Account account = accounts.apply(files.root());
    PostgresInstallation installation = PostgresInstallation.of(version, files, account);
    return files.prepare(
        directory -> Postmaster.prepare(directory, installation, settings, port.number()));
  }

  private Postmaster prepareStandby(PostgresServer primary, int primaryPort) {
    Postmaster followed = primary.lifecycle.daemon();
    return ServerFiles.ofThisUser()
        .prepare(
            directory -> followed.prepareStandby(directory, settings, primaryPort, port.number()));
  }

  /** A server of the newest supported version, not yet started. */
  public static PostgresServer newest() {
    return new PostgresServer("18.6", Account::choose);
  }

  /**
   * A server of the oldest supported version, not yet started; with {@code
   * -Dposthorn.test.oldest-postgres=16.15} of that one.
   */
  public static PostgresServer oldest() {
    String version = System.getProperty("posthorn.test.oldest-postgres", "14.24");
    return new PostgresServer(version, Account::choose);
  }

  /**
   * The one server of the newest version that the tests of this JVM share. The first call starts it
   * and the end of the JVM closes it: do not stop it, and work in a {@link #freshDatabase()}.
   */
  public static PostgresServer shared() {
    Shared.SERVER.start();
    return Shared.SERVER;
  }

  /** Sets a line of {@code postgresql.conf}; legal only before the first start. */
  public PostgresServer withSetting(String name, String value) {
    requireNonNull(name, "name");
    requireNonNull(value, "value");
    lifecycle.beforeStart("Setting \"" + name + "\"", () -> settings = settings.with(name, value));
    return this;
  }

  /** The version as the server itself reports it, such as {@code 18.6}. */
  public String version() {
    return version;
  }

  @Override
  public int port() {
    return port.number();
  }

  /** The URL of the database {@code postgres}; it names the user. */
  public String jdbcUrl() {
    return jdbcUrl("postgres");
  }

  @Override
  public String jdbcUrl(String database) {
    String name = URLEncoder.encode(database, StandardCharsets.UTF_8);
    return "jdbc:postgresql://127.0.0.1:" + port() + "/" + name + "?user=postgres";
  }

  /** Creates an empty database. The server must be running. */
  public void createDatabase(String name) {
    try (PostgresWire wire = PostgresWire.connect(port(), "postgres")) {
      wire.execute("CREATE DATABASE \"" + name.replace("\"", "\"\"") + "\"");
    } catch (IOException e) {
      throw new ServerException(
          "Database \""
              + name
              + "\" not created on port "
              + port()
              + ": "
              + (running() ? e.getMessage() : "the server does not run, call start() first"),
          e);
    }
  }

  /** Creates an empty database under a name of its own and returns its URL. */
  public String freshDatabase() {
    String name = "fresh_" + FRESH_DATABASES.incrementAndGet();
    createDatabase(name);
    return jdbcUrl(name);
  }

  @Override
  public void start() {
    lifecycle.start();
  }

  @Override
  public void stop() {
    lifecycle.withDaemon(Postmaster::stop);
  }

  /**
   * Stops in PostgreSQL's immediate mode: without a checkpoint, so that the next start recovers.
   */
  public void stopImmediate() {
    lifecycle.withDaemon(Postmaster::stopAtOnce);
  }

  @Override
  public void crash() {
    stopImmediate();
  }

  /** Makes a primary of a running standby. */
  public void promote() {
    lifecycle.withDaemon(Postmaster::promote);
  }

  /** Copies the data of the running server. */
  public PostgresBackup backUp() {
    return ServerFiles.ofThisUser()
        .prepare(
            directory -> {
              lifecycle.withDaemon(daemon -> daemon.backUp(directory));
              return new PostgresBackup(directory);
            });
  }

  /** Kills the server and brings an older state back; {@link #start()} lets it go on from there. */
  public void restore(PostgresBackup backup) {
    lifecycle.withDaemon(daemon -> daemon.restore(backup.data()));
  }

  @Override
  public void kill() {
    lifecycle.withDaemon(Postmaster::kill);
  }

  @Override
  public boolean running() {
    return lifecycle.running();
  }

  @Override
  public void close() {
    lifecycle.close();
  }

  /** Its port is taken only when somebody asks for the server. */
  private static final class Shared {
    static final PostgresServer SERVER = newest();
  }
}

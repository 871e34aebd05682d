/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A MySQL or MariaDB server of our own, durable as in production, that listens on 127.0.0.1 only
 * and lets the user {@code root} in without a password. Works as root and as any other user.
 *
 * <p>The binaries are unpacked once per user into a directory below {@code java.io.tmpdir}. This
 * module needs no JDBC driver; whoever uses the URLs does.
 */
public final class MySqlServer implements DatabaseServer {
  private static final int LIMIT_MILLIS = 1_000;
  private static final int ERROR = 0xFF;

  /** With 2 a commit survives the end of the process, but not that of the machine. */
  private static final String FLUSH = "innodb-flush-log-at-trx-commit";

  private static final AtomicInteger FRESH_DATABASES = new AtomicInteger();

  private final Product product;
  private final ReservedPort port = ReservedPort.find();
  private final Map<String, String> settings = new TreeMap<>();
  private final ServerLifecycle<ProcessDaemon> lifecycle;

  private enum Product {
    MARIADB(
        "mariadb", "disable", "MariaDB " + MySqlInstallation.MARIADB, MySqlInstallation::mariaDb),
    MYSQL("mysql", "DISABLED", "MySQL " + MySqlInstallation.MYSQL, MySqlInstallation::mySql);

    final String scheme;
    final String noTls;
    final String title;
    final Unpacking unpacking;

    Product(String scheme, String noTls, String title, Unpacking unpacking) {
      this.scheme = scheme;
      this.noTls = noTls;
      this.title = title;
      this.unpacking = unpacking;
    }
  }

  private interface Unpacking {
    MySqlInstallation into(ServerFiles files) throws IOException;
  }

  private MySqlServer(Product product) {
    this.product = product;
    this.lifecycle = new ServerLifecycle<>(product.scheme, port, this::prepare);
    settings.put("innodb-buffer-pool-size", "128M");
    settings.put("max-connections", "300");
    settings.put("max-allowed-packet", "256M");
  }

  /** A MariaDB, not yet started. */
  public static MySqlServer mariaDb() {
    return new MySqlServer(Product.MARIADB);
  }

  /** A MySQL, not yet started; ask {@link #mySqlRuns()} first. */
  public static MySqlServer mySql() {
    return new MySqlServer(Product.MYSQL);
  }

  /**
   * Whether MySQL can run on this machine: it needs libaio.so.1, of the Debian package {@code
   * libaio1}, in the system or in the directory that {@code -Dposthorn.test.libraries=} names.
   */
  public static boolean mySqlRuns() {
    return MySqlRuns.ANSWER;
  }

  /** Asked once. */
  private static final class MySqlRuns {
    static final boolean ANSWER = ask();

    private static boolean ask() {
      try {
        Platform.check();
        return MySqlInstallation.mySqlRuns(ServerFiles.ofThisUser());
      } catch (IOException e) {
        throw new ServerException("MySQL not unpacked: " + e.getMessage(), e);
      }
    }
  }

  /**
   * The one MariaDB that the tests of this JVM share. The first call starts it and the end of the
   * JVM closes it: do not stop it, and work in a {@link #freshDatabase()}.
   */
  public static MySqlServer sharedMariaDb() {
    SharedMariaDb.SERVER.start();
    return SharedMariaDb.SERVER;
  }

  /** The same of MySQL. */
  public static MySqlServer sharedMySql() {
    SharedMySql.SERVER.start();
    return SharedMySql.SERVER;
  }

  /** Its port is taken only when somebody asks for the server. */
  private static final class SharedMariaDb {
    static final MySqlServer SERVER = mariaDb().withSetting(FLUSH, "2");
  }

  private static final class SharedMySql {
    static final MySqlServer SERVER = mySql().withSetting(FLUSH, "2");
  }

  /** Sets an option of the server: {@code innodb-lock-wait-timeout}. Before the first start. */
  public MySqlServer withSetting(String name, String value) {
    requireNonNull(name, "name");
    requireNonNull(value, "value");
    lifecycle.beforeStart("Setting \"" + name + "\"", () -> settings.put(name, value));
    return this;
  }

  /** Product and version: {@code MariaDB 11.4.5}. */
  public String title() {
    return product.title;
  }

  @Override
  public int port() {
    return port.number();
  }

  /** The URL of a database, which the driver creates if it is missing. */
  @Override
  public String jdbcUrl(String database) {
    return "jdbc:%s://127.0.0.1:%d/%s?user=root&sslMode=%s&createDatabaseIfNotExist=true"
        .formatted(product.scheme, port(), database, product.noTls);
  }

  /** The URL of an empty database with a name of its own. */
  public String freshDatabase() {
    return jdbcUrl("fresh_" + FRESH_DATABASES.incrementAndGet());
  }

  private ProcessDaemon prepare() {
    Platform.check();
    ServerFiles files = ServerFiles.ofThisUser();
    MySqlInstallation installation = installation(files);
    return files.prepare(
        directory -> {
          Path data = directory.resolve("data");
          installation.copyTemplate(data);
          Command command =
              installation
                  .server(data)
                  .with(
                      List.of(
                          "--port=" + port(),
                          "--bind-address=127.0.0.1",
                          "--socket=" + directory.resolve("s"),
                          "--pid-file=" + directory.resolve("pid")))
                  .with(
                      settings.entrySet().stream()
                          .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                          .toList());
          return new ProcessDaemon(product.title, directory, command, this::ask);
        });
  }

  private MySqlInstallation installation(ServerFiles files) {
    try {
      return product.unpacking.into(files);
    } catch (IOException e) {
      throw new ServerException(
          product.title + " not unpacked into " + files.root() + ": " + e.getMessage(), e);
    }
  }

  /** A server that is ready greets its client first. */
  private void ask() throws IOException {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(LIMIT_MILLIS);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()), LIMIT_MILLIS);
      InputStream in = socket.getInputStream();
      byte[] head = in.readNBytes(5); // length, number, first byte of the greeting
      if (head.length < 5 || (head[4] & 0xFF) == ERROR) {
        throw new IOException("no greeting");
      }
    }
  }

  @Override
  public void start() {
    lifecycle.start();
  }

  @Override
  public void stop() {
    lifecycle.withDaemon(ProcessDaemon::stop);
  }

  @Override
  public void kill() {
    lifecycle.withDaemon(ProcessDaemon::kill);
  }

  @Override
  public boolean running() {
    return lifecycle.running();
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}

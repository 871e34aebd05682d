/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A PgBouncer in transaction mode before a PostgreSQL server: each transaction of a client may run
 * in another session. It is the one of the Debian package {@code pgbouncer}; ask {@link
 * #installed()} first.
 */
public final class PgBouncerServer implements Server {
  private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

  private final int databasePort;
  private final ReservedPort port = ReservedPort.find();
  private final ServerLifecycle<ProcessDaemon> lifecycle =
      new ServerLifecycle<>("pgbouncer", port, this::prepare);

  /** Not yet started. */
  public PgBouncerServer(PostgresServer database) {
    this.databasePort = database.port();
  }

  public static boolean installed() {
    return Files.isExecutable(PROGRAM);
  }

  /** The same from construction to {@link #close()}. */
  public int port() {
    return port.number();
  }

  private ProcessDaemon prepare() {
    ServerFiles files = ServerFiles.ofThisUser();
    Account account = Account.choose(files.root());
    return files.prepare(
        directory -> {
          Path configuration = directory.resolve("pgbouncer.ini");
          Files.writeString(configuration, configuration());
          Command command =
              Command.of(PROGRAM.toString(), configuration.toString()).behind(account.prefix());
          return new ProcessDaemon("PgBouncer", directory, command, this::ask);
        });
  }

  private String configuration() {
    return """
        [databases]
        * = host=127.0.0.1 port=%d user=postgres
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %d
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        max_client_conn = 1000
        default_pool_size = 40
        server_login_retry = 1
        ignore_startup_parameters = extra_float_digits
        """
        .formatted(databasePort, port());
  }

  private void ask() throws IOException {
    PostgresWire.connect(port(), "postgres").close();
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

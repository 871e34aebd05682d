/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.database;

import io.posthorn.servers.DatabaseServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** A database product, as far as the runs have to know which one it is. */
public interface TestedDatabase {
  /** The database that everything is in. */
  String NAME = "chaos";

  /** By this name the database knows the sessions of operators. */
  String OPERATOR = "operator";

  /** As it is written on the command line. */
  String label();

  /** What this machine lacks for it; empty if it can be run. */
  default String lacks() {
    return "";
  }

  // --- the server and its sessions

  /** Starts a server of its own, with an empty database. */
  DatabaseServer start();

  /** The URL by which instances get to the database through a port. */
  String urlThrough(DatabaseServer server, int port);

  /** The same URL for sessions that the database knows by a name. */
  String named(String url, String session);

  /** Ends sessions of others, each with the given probability. */
  void endSessions(Connection connection, double share) throws SQLException;

  // --- the tables of the runs

  /** The type of a column that counts its rows, and is the primary key. */
  String counted();

  /** Statements that create what {@link #breakCommit} and {@link #abort} need. */
  List<String> faultTables();

  /**
   * Statements that create triggers. They note in {@code chaos_intrusion} rows that are changed by
   * a relay which does not own their partition. Operators may do that, and publishers write delayed
   * messages.
   */
  List<String> guards();

  /** Statements that create a trigger on deletes of ready rows, which fail as chaos_switch says. */
  List<String> refusals();

  /** The id of a message in a table of the outbox. */
  UUID id(ResultSet row, int column) throws SQLException;

  /** A query for bytes in tables, bytes in indexes, and dead rows, as far as they are known. */
  String sizes();

  // --- what handlers do to their transactions

  /** Lets the commit of this transaction fail. Where none can, it fails at once. */
  void breakCommit(Connection connection) throws SQLException;

  /** Lets the database give up this transaction, and tells nobody. */
  void abort(Connection connection) throws SQLException;
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/**
 * A connection that speaks just enough of PostgreSQL's protocol 3.0 to know that a server answers
 * and to run a statement, so that this module needs no driver.
 */
final class PostgresWire implements AutoCloseable {

  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(2);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
  private static final int PROTOCOL_3_0 = 3 << 16;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;

  private PostgresWire(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
    this.out = new DataOutputStream(socket.getOutputStream());
  }

  /** Returns when the server is ready for a statement. */
  static PostgresWire connect(int port, String database) throws IOException {
    Socket socket = new Socket();
    try {
      InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
      socket.connect(new InetSocketAddress(loopback, port), (int) CONNECT_LIMIT.toMillis());
      socket.setSoTimeout((int) ANSWER_LIMIT.toMillis());
      PostgresWire wire = new PostgresWire(socket);
      wire.greet(database);
      return wire;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private void greet(String database) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream body = new DataOutputStream(bytes);
    body.writeInt(PROTOCOL_3_0);
    for (String word : new String[] {"user", "postgres", "database", database, ""}) {
      body.write(word.getBytes(UTF_8));
      body.write(0);
    }
    send(bytes.toByteArray());
    awaitReady();
  }

  void execute(String sql) throws IOException {
    out.write('Q');
    send((sql + "\0").getBytes(UTF_8));
    awaitReady();
  }

  private void send(byte[] body) throws IOException {
    out.writeInt(Integer.BYTES + body.length);
    out.write(body);
    out.flush();
  }

  private void awaitReady() throws IOException {
    for (int type = in.readUnsignedByte(); ; type = in.readUnsignedByte()) {
      byte[] body = in.readNBytes(in.readInt() - Integer.BYTES);
      if (type == 'E') {
        throw new IOException("PostgreSQL refused: " + message(body));
      }
      if (type == 'Z') {
        return;
      }
    }
  }

  /** The human-readable one among the fields of an error, which each begin with a type byte. */
  private static String message(byte[] error) {
    for (String field : new String(error, UTF_8).split("\0", -1)) {
      if (field.startsWith("M")) {
        return field.substring(1);
      }
    }
    return "an error without a message";
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * As much of AMQP 0-9-1 as it takes to see whether a client can connect. A port that is open says
 * little: brokers open it while they still start.
 */
final class AmqpWire {

  private static final int LIMIT_MILLIS = 1_000;
  private static final int METHOD_FRAME = 1;
  private static final int FRAME_END = 0xCE;

  // Class in the upper half, method in the lower.
  private static final int START = 0x000A_000A;
  private static final int START_OK = 0x000A_000B;
  private static final int TUNE = 0x000A_001E;
  private static final int TUNE_OK = 0x000A_001F;
  private static final int OPEN = 0x000A_0028;
  private static final int OPEN_OK = 0x000A_0029;

  private final DataInputStream in;
  private final DataOutputStream out;

  private AmqpWire(Socket socket) throws IOException {
    in = new DataInputStream(socket.getInputStream());
    out = new DataOutputStream(socket.getOutputStream());
  }

  /** Writes the arguments of a method. */
  @FunctionalInterface
  private interface Arguments {
    void writeTo(DataOutputStream out) throws IOException;
  }

  /**
   * Connects as guest and drops the connection.
   *
   * @throws IOException if the broker is not ready
   */
  static void ask(int port, String virtualHost) throws IOException {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(LIMIT_MILLIS);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), LIMIT_MILLIS);
      new AmqpWire(socket).shakeHands(virtualHost);
    }
  }

  private void shakeHands(String virtualHost) throws IOException {
    out.write("AMQP\0\0\11\1".getBytes(US_ASCII));
    expect(START);
    send(
        START_OK,
        arguments -> {
          arguments.writeInt(0); // says nothing about itself
          shortText(arguments, "PLAIN");
          byte[] guest = "\0guest\0guest".getBytes(US_ASCII);
          arguments.writeInt(guest.length);
          arguments.write(guest);
          shortText(arguments, "en_US");
        });
    byte[] limits = expect(TUNE);
    send(
        TUNE_OK,
        arguments -> {
          arguments.write(limits, 0, Short.BYTES + Integer.BYTES);
          arguments.writeShort(0); // no heartbeats
        });
    send(
        OPEN,
        arguments -> {
          shortText(arguments, virtualHost);
          arguments.writeShort(0);
        });
    expect(OPEN_OK);
  }

  private static void shortText(DataOutputStream to, String text) throws IOException {
    to.writeByte(text.length());
    to.write(text.getBytes(US_ASCII));
  }

  private void send(int method, Arguments arguments) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream payload = new DataOutputStream(bytes);
    payload.writeInt(method);
    arguments.writeTo(payload);
    out.writeByte(METHOD_FRAME);
    out.writeShort(0);
    out.writeInt(bytes.size());
    bytes.writeTo(out);
    out.writeByte(FRAME_END);
    out.flush();
  }

  /** Returns the arguments. */
  private byte[] expect(int method) throws IOException {
    int type = in.readUnsignedByte();
    in.readUnsignedShort();
    int size = in.readInt();
    int found = in.readInt();
    if (type != METHOD_FRAME || found != method) {
      throw new IOException(
          "answered with frame %d, method %08x instead of %08x".formatted(type, found, method));
    }
    byte[] arguments = in.readNBytes(size - Integer.BYTES);
    in.readUnsignedByte();
    return arguments;
  }
}

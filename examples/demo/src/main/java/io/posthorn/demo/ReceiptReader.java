/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Follows the receipts of one process while they are written. For one thread. */
final class ReceiptReader {
  private static final int CHUNK_BYTES = 1024 * 1024;

  private final String relay;
  private final Path file;
  private long position;

  ReceiptReader(String relay, Path file) {
    this.relay = relay;
    this.file = file;
  }

  /** The receipts since the last call, in the order in which they were written. */
  List<Receipt> poll() {
    List<Receipt> receipts = new ArrayList<>();
    if (!Files.exists(file)) {
      return receipts;
    }
    try (FileChannel channel = FileChannel.open(file)) {
      ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
      while (channel.read(chunk.clear(), position) > 0) {
        int used = parse(chunk.flip(), receipts);
        if (used == 0) {
          break;
        }
        position += used;
      }
      return receipts;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes whole lines only; the rest is read again. */
  private int parse(ByteBuffer chunk, List<Receipt> receipts) {
    String text = StandardCharsets.UTF_8.decode(chunk).toString();
    int end = text.lastIndexOf('\n') + 1;
    text.substring(0, end)
        .lines()
        .forEach(line -> Receipt.parse(relay, line).ifPresent(receipts::add));
    return end;
  }
}

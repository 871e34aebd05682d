/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Directories that are filled once and then used by all JVMs of this user.
 *
 * <p>One is filled elsewhere and renamed, so that it is there whole or not at all. A marker inside
 * counts its entries: cleaners of the temporary directory take away single old files, and then it
 * is filled again.
 */
final class UnpackOnce {

  private static final String MARKER = ".complete";
  private static final Duration LOCK_LIMIT = Duration.ofMinutes(3);
  private static final Duration LOCK_POLL = Duration.ofMillis(50);

  private final ServerFiles files;

  UnpackOnce(ServerFiles files) {
    this.files = files;
  }

  /** Fills an empty directory. */
  interface Filler {
    void fill(Path target) throws IOException;
  }

  Path directory(String name, Filler filler) throws IOException {
    Path ready = files.root().resolve(name);
    if (complete(ready)) {
      return ready;
    }
    Path lockFile = files.root().resolve("lock");
    try (FileChannel channel =
        FileChannel.open(lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      lock(channel);
      if (!complete(ready)) {
        fill(ready, filler);
      }
      return ready;
    }
  }

  private void fill(Path ready, Filler filler) throws IOException {
    Path workshop = files.newDirectory();
    try {
      Path fresh = Files.createDirectory(workshop.resolve("fresh"));
      ServerFiles.makeReadable(fresh);
      filler.fill(fresh);
      Path marker = Files.createFile(fresh.resolve(MARKER));
      Files.writeString(marker, Long.toString(new FileTree(fresh).entries()));
      if (Files.exists(ready)) {
        Files.move(ready, workshop.resolve("damaged"), StandardCopyOption.ATOMIC_MOVE);
      }
      Files.move(fresh, ready, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      new FileTree(workshop).delete();
    }
  }

  private static boolean complete(Path directory) {
    try {
      String marked = Files.readString(directory.resolve(MARKER));
      return marked.equals(Long.toString(new FileTree(directory).entries()));
    } catch (IOException | UncheckedIOException missing) {
      return false;
    }
  }

  /** Locks until the channel is closed. */
  private static void lock(FileChannel channel) throws IOException {
    long start = System.nanoTime();
    while (!locked(channel)) {
      if (System.nanoTime() - start > LOCK_LIMIT.toNanos()) {
        throw new IOException(
            "another JVM has been unpacking for more than " + LOCK_LIMIT.toMinutes() + " minutes");
      }
      pause();
    }
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException heldInThisJvm) {
      return false;
    }
  }

  private static void pause() throws IOException {
    try {
      TimeUnit.NANOSECONDS.sleep(LOCK_POLL.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while another JVM unpacks", e);
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A file system of its own in memory, which can be filled. Only root can have one. */
public final class SmallDisk implements AutoCloseable {
  private static final int MEBIBYTES = 256;
  private static final int BLOCK = 64 * 1024;

  private final Path directory;
  private final Path filler;

  private SmallDisk(Path directory) {
    this.directory = directory;
    this.filler = directory.resolve("filler");
  }

  /** Whether this user can mount one. */
  public static boolean possible() {
    try {
      mount().close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  static SmallDisk mount() throws IOException {
    Path directory = Files.createTempDirectory("posthorn-chaos-disk-");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    try {
      run("mount", "-t", "tmpfs", "-o", "size=" + MEBIBYTES + "m", "tmpfs", directory.toString());
    } catch (IOException e) {
      Files.delete(directory);
      throw e;
    }
    return new SmallDisk(directory);
  }

  /** An empty directory on it that every user can write to. */
  Path place() throws IOException {
    Path place = Files.createDirectory(directory.resolve("tables"));
    Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxrwxrwx"));
    return place;
  }

  /** Takes all space that is left. */
  void fill() throws IOException {
    try (OutputStream output = Files.newOutputStream(filler)) {
      for (int block = BLOCK; block > 0; block /= 2) {
        fill(output, new byte[block]);
      }
    } catch (IOException e) {
      // Full is what it should be: closing may say so once more.
    }
    if (directory.toFile().getUsableSpace() > BLOCK) {
      throw new IOException(directory + " is not full");
    }
  }

  private static void fill(OutputStream output, byte[] block) {
    try {
      while (true) {
        output.write(block);
      }
    } catch (IOException e) {
      // As much as fits.
    }
  }

  void free() throws IOException {
    Files.deleteIfExists(filler);
  }

  private static void run(String... command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    int status = process.onExit().join().exitValue();
    if (status != 0) {
      throw new IOException(String.join(" ", command) + " ended with status " + status);
    }
  }

  @Override
  public void close() throws IOException {
    run("umount", "--lazy", directory.toString());
    Files.delete(directory);
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The directory below {@code java.io.tmpdir} that holds this user's unpacked servers, and under
 * {@code run} the directories of running ones.
 *
 * <p>A running server's directory bears the stamp of its JVM. What a killed JVM left behind is
 * removed when a later one asks for a directory.
 */
final class ServerFiles {

  private final Path root;
  private final Path run;

  private ServerFiles(Path root) {
    this.root = root;
    this.run = root.resolve("run");
  }

  static ServerFiles ofThisUser() {
    String user = System.getProperty("user.name").replaceAll("[^A-Za-z0-9._-]", "_");
    Path root = Path.of(System.getProperty("java.io.tmpdir"), "posthorn-servers-" + user);
    try {
      return below(Files.createDirectories(root));
    } catch (IOException e) {
      throw new ServerException(
          "No directory for servers at "
              + root
              + ": it must belong to the user \""
              + user
              + "\"; remove it or set -Djava.io.tmpdir to a writable directory",
          e);
    }
  }

  static ServerFiles below(Path root) throws IOException {
    ServerFiles files = new ServerFiles(root.toAbsolutePath().normalize());
    makeReadable(files.root);
    makeReadable(Files.createDirectories(files.run));
    return files;
  }

  // Another account may have to run the binaries, so an inherited umask must not apply. A directory
  // or link that somebody else has put there is refused: he could change what we execute.
  static void makeReadable(Path directory) throws IOException {
    Object owner = Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    if (!owner.equals(Account.ownUserId()) || Files.isSymbolicLink(directory)) {
      throw new IOException(directory + " is a link or belongs to the user " + owner);
    }
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  Path root() {
    return root;
  }

  /** A new directory of this JVM. */
  Path newDirectory() throws IOException {
    removeLeftovers();
    Path directory = Files.createTempDirectory(run, ProcessStamp.ofThisJvm().prefix());
    makeReadable(directory);
    return directory;
  }

  /** Makes something in a new directory of this JVM. */
  <T> T prepare(Preparation<T> preparation) {
    try {
      return preparation.in(newDirectory());
    } catch (IOException e) {
      throw new ServerException(
          "No data directory made in "
              + root
              + ": free some space there, or set"
              + " -Djava.io.tmpdir to another directory",
          e);
    }
  }

  /** Makes something in an empty directory. */
  @FunctionalInterface
  interface Preparation<T> {
    T in(Path directory) throws IOException;
  }

  private void removeLeftovers() throws IOException {
    try (Stream<Path> directories = Files.list(run)) {
      directories.filter(ServerFiles::leftOver).forEach(ServerFiles::tryToRemove);
    }
  }

  private static boolean leftOver(Path directory) {
    Optional<ProcessStamp> jvm = ProcessStamp.parse(directory.getFileName().toString());
    return jvm.isPresent()
        && !jvm.get().alive()
        && PostmasterFile.in(Postmaster.dataIn(directory))
            .filter(PostmasterFile::memoryInUse)
            .isEmpty();
  }

  private static void tryToRemove(Path directory) {
    try {
      remove(directory);
    } catch (IOException stillInUse) {
      // The next one tries again.
    }
  }

  /** Deletes a server's directory, and the shared memory that a killed PostgreSQL leaves behind. */
  static void remove(Path directory) throws IOException {
    freeMemory(directory);
    new FileTree(directory).delete();
  }

  static void freeMemory(Path directory) {
    PostmasterFile.in(Postmaster.dataIn(directory)).ifPresent(PostmasterFile::freeMemory);
  }
}

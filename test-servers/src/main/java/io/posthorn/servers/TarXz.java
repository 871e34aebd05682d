/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** Unpacks the .txz that a jar of server binaries carries. */
final class TarXz {

  private static final int OWNER_EXECUTE = 0100;

  private TarXz() {}

  static void unpackFromJar(InputStream jar, Path target) throws IOException {
    try (ZipInputStream zip = new ZipInputStream(new BufferedInputStream(jar))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().endsWith(".txz")) {
          unpack(zip, target);
          return;
        }
      }
    }
    throw new IOException("no .txz in the jar");
  }

  private static void unpack(InputStream txz, Path target) throws IOException {
    TarArchiveInputStream tar =
        new TarArchiveInputStream(new BufferedInputStream(new XZInputStream(txz)));
    for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
      unpack(entry, tar, target);
    }
    new FileTree(target).openDirectories();
  }

  private static void unpack(TarArchiveEntry entry, InputStream content, Path target)
      throws IOException {
    Path path = inside(target, target.resolve(entry.getName()), entry);
    if (entry.isDirectory()) {
      Files.createDirectories(path);
      return;
    }
    Files.createDirectories(path.getParent());
    if (entry.isSymbolicLink()) {
      inside(target, path.resolveSibling(entry.getLinkName()), entry);
      Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
    } else if (entry.isLink() || !entry.isFile()) {
      throw new IOException("entry \"" + entry.getName() + "\" is no file, directory or symlink");
    } else {
      Files.copy(content, path);
      boolean executable = (entry.getMode() & OWNER_EXECUTE) != 0;
      Files.setPosixFilePermissions(
          path, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
    }
  }

  private static Path inside(Path target, Path path, TarArchiveEntry entry) throws IOException {
    Path normal = path.normalize();
    if (!normal.startsWith(target)) {
      throw new IOException("entry \"" + entry.getName() + "\" leads out of " + target);
    }
    return normal;
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

class TarXzTest {

  private final Path directory;

  TarXzTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void programsStayExecutableAndLinksStayLinks() throws IOException {
    TarArchiveEntry program = new TarArchiveEntry("bin/run");
    program.setMode(0755);
    unpack(program, new TarArchiveEntry("lib/text"), link("lib/run", "../bin/run"));

    Path target = directory.resolve("target");
    assertThat(target.resolve("bin/run")).isExecutable().hasContent("data");
    assertThat(Files.isExecutable(target.resolve("lib/text"))).isFalse();
    assertThat(target.resolve("lib/run")).isSymbolicLink().hasContent("data");
  }

  @Test
  void entriesThatLeadOutsideAreRefused() {
    assertThatThrownBy(() -> unpack(new TarArchiveEntry("../outside")))
        .hasMessageContaining("\"../outside\" leads out of");
    assertThatThrownBy(() -> unpack(new TarArchiveEntry("/outside", true)))
        .hasMessageContaining("leads out of");
    assertThatThrownBy(() -> unpack(link("lib/passwd", "../../outside")))
        .hasMessageContaining("\"lib/passwd\" leads out of");
    assertThat(directory.resolve("outside")).doesNotExist();
  }

  @Test
  void otherKindsOfEntriesAreRefused() {
    TarArchiveEntry hardLink = new TarArchiveEntry("twin", TarConstants.LF_LINK);
    hardLink.setLinkName("original");

    assertThatThrownBy(() -> unpack(hardLink))
        .hasMessageContaining("no file, directory or symlink");
  }

  @Test
  void jarWithoutAnArchiveIsRefused() throws IOException {
    byte[] jar = jar("readme.txt", new byte[0]);

    assertThatThrownBy(() -> TarXz.unpackFromJar(new ByteArrayInputStream(jar), directory))
        .hasMessageContaining("no .txz");
  }

  private void unpack(TarArchiveEntry... entries) throws IOException {
    byte[] jar = jar("server.txz", tarXz(entries));
    TarXz.unpackFromJar(new ByteArrayInputStream(jar), directory.resolve("target"));
  }

  private static TarArchiveEntry link(String name, String to) {
    TarArchiveEntry link = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
    link.setLinkName(to);
    return link;
  }

  private static byte[] tarXz(TarArchiveEntry... entries) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TarArchiveOutputStream tar =
        new TarArchiveOutputStream(new XZOutputStream(bytes, new LZMA2Options()))) {
      for (TarArchiveEntry entry : entries) {
        byte[] content =
            entry.isLink() || entry.isSymbolicLink() ? new byte[0] : "data".getBytes(UTF_8);
        entry.setSize(content.length);
        tar.putArchiveEntry(entry);
        tar.write(content);
        tar.closeArchiveEntry();
      }
    }
    return bytes.toByteArray();
  }

  private static byte[] jar(String name, byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.putNextEntry(new ZipEntry(name));
      zip.write(content);
    }
    return bytes.toByteArray();
  }
}

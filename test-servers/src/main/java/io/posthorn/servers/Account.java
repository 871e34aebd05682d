/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * The account a server runs under: a prefix for its command line and, unless it is our own, the id
 * of the user who must own the data directory.
 *
 * <p>PostgreSQL refuses to run as root. In a user namespace of its own ({@code unshare -U}) root
 * looks like nobody to it while its files stay where they are; where such namespaces are forbidden,
 * as in many containers, it runs as the user 65534, "nobody".
 */
record Account(List<String> prefix, OptionalInt userId) {

  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int NOBODY = 65_534;

  static final Account OWN = new Account(List.of(), OptionalInt.empty());
  static final Account NAMESPACE = new Account(List.of("unshare", "-U"), OptionalInt.empty());
  static final Account OTHER_USER =
      new Account(
          List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"),
          OptionalInt.of(NOBODY));

  /** The first of {@link #usable} accounts. */
  static Account choose(Path files) {
    return usable(files)
        .findFirst()
        .orElseThrow(
            () ->
                new ServerException(
                    "PostgreSQL does not run as root, and neither \"unshare -U\" nor \"setpriv\" to"
                        + " user "
                        + NOBODY
                        + " works with files in "
                        + files
                        + ": run as another user, install util-linux, or set -Djava.io.tmpdir to"
                        + " a directory that every user can enter"));
  }

  /** Accounts that can run a program here and enter the directory. */
  static Stream<Account> usable(Path files) {
    return ownUserId() == 0
        ? Stream.of(NAMESPACE, OTHER_USER).filter(a -> a.canEnter(files))
        : Stream.of(OWN);
  }

  /** The id of the user who runs this JVM. */
  static int ownUserId() {
    return Math.toIntExact(new UnixSystem().getUid());
  }

  private boolean canEnter(Path directory) {
    return Command.of("test", "-x", directory.toString()).behind(prefix).succeeds(LIMIT);
  }

  /** Makes this account the owner of a directory and all below it. */
  void own(Path directory) throws IOException {
    if (userId.isPresent() && Files.exists(directory)) {
      new FileTree(directory).giveTo(userId.getAsInt());
    }
  }
}

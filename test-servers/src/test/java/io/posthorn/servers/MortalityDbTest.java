/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MortalityDbTest {

  @Test
  void serverDiesWithItsKilledJvmAndALaterServerSweepsItsDirectory() throws Exception {
    try (ServerInAnotherJvm jvm = ServerInAnotherJvm.start()) {
      RunningPostgres server = RunningPostgres.at(jvm.url());
      jvm.kill();

      Eventually.holds("the postmaster is gone", () -> !server.postmaster().alive());
      assertThat(server.data()).exists();

      try (PostgresServer later = PostgresServer.newest()) {
        later.start();
        assertThat(server.data().getParent()).doesNotExist();
      }
    }
  }

  @Test
  void hungServerDiesWithItsKilledJvmToo() throws Exception {
    try (ServerInAnotherJvm jvm = ServerInAnotherJvm.start()) {
      RunningPostgres server = RunningPostgres.at(jvm.url());
      stopInItsTracks(server.postmaster());
      jvm.kill();

      Eventually.holds("the postmaster is gone", () -> !server.postmaster().alive());
    }
  }

  private static void stopInItsTracks(ProcessStamp process) throws Exception {
    String pid = Long.toString(process.pid());
    assertThat(new ProcessBuilder("sh", "-c", "kill -STOP " + pid).start().waitFor()).isZero();
  }

  @Test
  void exitingJvmTakesItsServerAndDirectoryAlong() throws Exception {
    try (ServerInAnotherJvm jvm = ServerInAnotherJvm.start()) {
      RunningPostgres server = RunningPostgres.at(jvm.url());
      jvm.tellToExit();

      assertThat(server.postmaster().alive()).isFalse();
      assertThat(server.data().getParent()).doesNotExist();
    }
  }

  @Test
  void directoriesOfLivingJvmsStay() throws Exception {
    try (ServerInAnotherJvm jvm = ServerInAnotherJvm.start()) {
      String url = jvm.url();
      try (PostgresServer later = PostgresServer.newest()) {
        later.start();
        assertThat(new Sql(url).value("SELECT 1")).isEqualTo("1");
      }
      assertThat(RunningPostgres.at(url).data()).exists();
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ActionRun;
import io.posthorn.Admin;
import io.posthorn.Admin.Entry;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Filter;
import io.posthorn.AdminAction;
import io.posthorn.AdminAction.State;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Several operators, and processes that end in the middle. */
class ActionRacesDbTest extends AdminScene {
  private static final int LETTERS = 2_500;

  @Test
  void whatSeveralDoAtOnceIsDoneOnceAndAddsUp() throws Exception {
    insertDeadLetters(LETTERS);
    ActionRun same = ActionRun.of(UUID.randomUUID());
    Callable<AdminAction> retry = () -> admin().deadLetters().retryAll(Filter.all(), same);
    Callable<AdminAction> delete =
        () -> admin().deadLetters().deleteAll(Filter.all().errorContains("time"), ActionRun.once());
    Callable<AdminAction> deleteShuffled =
        () -> {
          List<EntryId> ids = new ArrayList<>(firstThousand());
          Collections.shuffle(ids);
          return admin().deadLetters().delete(ids, ActionRun.once());
        };
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<AdminAction> done = new ArrayList<>();
    try {
      for (Future<AdminAction> action :
          threads.invokeAll(List.of(retry, retry, delete, deleteShuffled))) {
        done.add(action.get());
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(done).allMatch(action -> action.state() == State.DONE);
    AdminAction retried = admin().actions().find(same.id()).orElseThrow();
    assertThat(done.subList(0, 2)).as("both tell the same").containsOnly(retried);
    long deleted = done.get(2).entries() + done.get(3).entries();
    assertThat(retried.entries() + deleted).isEqualTo(LETTERS);
    assertThat(admin().deadLetters().count(Filter.all()).entries()).isZero();
    assertThat(admin().deferred().count(Filter.all()).entries()).isEqualTo(retried.entries());
  }

  private List<EntryId> firstThousand() {
    return admin().deadLetters().page(Filter.all(), null, 1_000).items().stream()
        .map(Entry::id)
        .toList();
  }

  @Test
  void anActionWhoseProcessEndedIsRecordedWithWhatItDidAndGoesOn() {
    insertDeadLetters(LETTERS);
    ActionRun run = ActionRun.of(UUID.randomUUID());
    ActionRun killed =
        run.whileTrue(
            action -> {
              if (action.entries() >= 1_000) {
                throw new IllegalStateException("the process ended");
              }
              return true;
            });

    assertThatThrownBy(() -> admin().deadLetters().resolveAll(Filter.all(), killed))
        .hasMessage("the process ended");

    AdminAction broken = admin().actions().find(run.id()).orElseThrow();
    assertThat(broken.state()).isEqualTo(State.RUNNING);
    assertThat(broken.entries()).isEqualTo(1_000);
    assertThat(admin().deadLetters().count(Filter.all()))
        .isEqualTo(new Admin.Count(LETTERS - 1_000, true));

    AdminAction done = admin().deadLetters().resolveAll(Filter.all(), run);
    assertThat(done.state()).isEqualTo(State.DONE);
    assertThat(done.entries()).isEqualTo(LETTERS);
  }
}

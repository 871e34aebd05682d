/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.test.schedule;

import io.posthorn.Batch;
import io.posthorn.Delivery;
import io.posthorn.DeliveryResult;
import io.posthorn.DestinationDownException;
import io.posthorn.test.schedule.SchedulePlan.Dimension;
import io.posthorn.test.schedule.Truth.Entry;
import io.posthorn.test.schedule.Truth.Running;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** A broker that answers later, in any order, or not at all. */
final class PlayedBroker {
  private final SchedulePlan plan;
  private final Truth truth;
  private final Consumer<String> story;
  private final List<Sent> unanswered = new ArrayList<>();

  /**
   * A message on its way to the broker.
   *
   * @param running what occupies its lane
   */
  record Sent(
      ScheduledRelay relay,
      Batch<byte[]> batch,
      Batch.Item<byte[]> item,
      Entry entry,
      Running running) {
    private Delivery delivery() {
      return item.delivery();
    }
  }

  PlayedBroker(SchedulePlan plan, Truth truth, Consumer<String> story) {
    this.plan = plan;
    this.truth = truth;
    this.story = story;
  }

  void send(Sent sent) {
    unanswered.add(sent);
    sent.batch.underWay(sent.item, () -> late(sent));
  }

  /** The relay does not wait for the answer any longer. The broker may have the message or not. */
  private Exception late(Sent sent) {
    story.accept("%s has waited for %s too long".formatted(sent.relay.name(), sent.entry));
    end(sent);
    truth.leftInDoubt(sent.entry);
    return new DestinationDownException("no answer, as planned", null);
  }

  /** Answers one message, if any is under way. */
  void answer(Random random) {
    if (!unanswered.isEmpty()) {
      answer(unanswered.get(random.nextInt(unanswered.size())), random);
    }
  }

  private void answer(Sent sent, Random random) {
    if (plan.has(Dimension.OUTAGES) && random.nextInt(8) == 0) {
      refuse(sent, new DestinationDownException("as planned", null));
    } else if (plan.has(Dimension.FAILURES) && random.nextInt(8) == 0) {
      truth.failed(sent.entry, sent.delivery().attempt());
      refuse(sent, new IllegalStateException("as planned"));
    } else {
      confirm(sent);
    }
  }

  private void refuse(Sent sent, Exception failure) {
    story.accept(
        "%s is told that %s was not taken: %s".formatted(sent.relay.name(), sent.entry, failure));
    end(sent);
    if (!sent.relay.dead()) {
      sent.batch.fail(sent.item, failure);
    }
  }

  private void confirm(Sent sent) {
    story.accept("the broker has taken %s of %s".formatted(sent.entry, sent.relay.name()));
    truth.succeeded(sent.entry, sent.relay.name(), sent.delivery().epoch());
    end(sent);
    if (!sent.relay.dead()) {
      sent.batch.decide(sent.item, DeliveryResult.delivered());
    }
  }

  private void end(Sent sent) {
    unanswered.remove(sent);
    truth.free(sent.delivery(), sent.running);
  }

  /** Confirms all that is under way. */
  void confirmAll() {
    List.copyOf(unanswered).forEach(this::confirm);
  }
}

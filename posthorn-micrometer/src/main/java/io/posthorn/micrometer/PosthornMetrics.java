/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.posthorn.Admin.EntryId;
import io.posthorn.Admin.Survey;
import io.posthorn.AdminAction;
import io.posthorn.Delivery;
import io.posthorn.Posthorn;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.Fate;
import io.posthorn.spi.PublishHook;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayListener;
import io.posthorn.spi.StoredMessage;
import io.posthorn.spi.Ticker;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Counts what one outbox does in this process, and shows what waits in it. All names and tags are
 * in {@code docs/metrics.md}; no tag ever has an id or a key. Safe to share between threads.
 *
 * <p>Once bound it asks the database at an interval, on a thread of its own. To look at a meter
 * never waits for the database; if that is away, the last values stay. Closing ends the thread and
 * removes the gauges.
 *
 * <pre>{@code
 * var metrics = new PosthornMetrics(registry);
 * Posthorn posthorn = metrics.addTo(Posthorn.inOneProcess(store, transactions)).handler(…).start();
 * metrics.bind(posthorn);
 * }</pre>
 *
 * @since 0.1
 */
public final class PosthornMetrics implements RelayListener, PublishHook, AutoCloseable {
  private static final String TYPE = "type";
  private static final String HANDLER = "handler";

  private final Meters meters;
  private final Settings settings;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Surveyor surveyor; // guarded by lock
  private boolean closed; // guarded by lock
  private volatile Duration clockOffset = Duration.ZERO;

  private record Settings(
      String outbox, Duration interval, int limit, Clock clock, Ticker ticker) {}

  /** Metrics of an outbox with the name {@code outbox}, and these tags on each meter. */
  public PosthornMetrics(MeterRegistry registry, Tag... tags) {
    this(builder(registry).tags(tags));
  }

  private PosthornMetrics(Builder builder) {
    this.meters = new Meters(builder.registry, builder.tags.and("outbox", builder.outbox));
    this.settings =
        new Settings(
            builder.outbox,
            builder.surveyInterval,
            builder.surveyLimit,
            builder.clock,
            builder.ticker);
  }

  public static Builder builder(MeterRegistry registry) {
    return new Builder(registry);
  }

  /** Registers with an outbox that is being built, as listener and as publish hook. */
  public Posthorn.Builder addTo(Posthorn.Builder posthorn) {
    return posthorn.listener(this).publishHook(this);
  }

  /**
   * Shows what waits in an outbox and what its relay does, from now on. It need not be started yet.
   *
   * @throws IllegalStateException if it was bound before, or closed
   */
  public void bind(Posthorn posthorn) {
    lock.lock();
    try {
      watch(posthorn).start(settings.interval);
    } finally {
      lock.unlock();
    }
  }

  /** Binds, but leaves it to the caller when surveys are taken. */
  Surveyor watch(Posthorn posthorn) {
    requireNonNull(posthorn, "posthorn");
    lock.lock();
    try {
      if (closed || surveyor != null) {
        throw new IllegalStateException(
            "the metrics of outbox \"%s\" were %s; make new ones for each outbox"
                .formatted(settings.outbox, closed ? "closed" : "bound before"));
      }
      RelayGauges relay = new RelayGauges(posthorn, meters);
      SurveyGauges waiting = new SurveyGauges(meters, settings.ticker);
      waiting.bind();
      relay.refresh();
      surveyor =
          new Surveyor(
              settings.outbox,
              () -> posthorn.admin().survey(settings.limit),
              survey -> show(survey, relay, waiting),
              () -> failed(relay));
      return surveyor;
    } finally {
      lock.unlock();
    }
  }

  private void show(Survey survey, RelayGauges relay, SurveyGauges waiting) {
    clockOffset = Duration.between(settings.clock.instant(), survey.at());
    unlessClosed(
        () -> {
          relay.refresh();
          waiting.show(survey);
        });
  }

  private void failed(RelayGauges relay) {
    meters.count(MeterName.SURVEY_FAILURES, 1);
    unlessClosed(relay::refresh);
  }

  /** A survey that ends after the close must not bring gauges back. */
  private void unlessClosed(Runnable change) {
    lock.lock();
    try {
      if (!closed) {
        change.run();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Closing twice, or before binding, is harmless. Counters stay, and go on. */
  @Override
  public void close() {
    Surveyor running;
    lock.lock();
    try {
      running = surveyor;
      closed = true;
      meters.removeGauges();
    } finally {
      lock.unlock();
    }
    if (running != null) {
      running.close();
    }
  }

  // --- what is published

  @Override
  public void afterCommit(List<Envelope> messages) {
    messages.forEach(message -> meters.count(MeterName.PUBLISHED, 1, TYPE, message.type()));
  }

  // --- what the relay does

  @Override
  public void delivered(Delivery delivery) {
    count(MeterName.DELIVERED, delivery);
    // Rows have the database's time; the difference to this machine's is known from the survey.
    Duration took =
        Duration.between(delivery.createdAt(), settings.clock.instant().plus(clockOffset));
    meters.record(
        MeterName.PUBLISH_TO_DELIVERY,
        took.isNegative() ? Duration.ZERO : took,
        TYPE,
        delivery.type(),
        HANDLER,
        delivery.handler());
  }

  private void count(MeterName name, Delivery delivery) {
    meters.count(name, 1, TYPE, delivery.type(), HANDLER, delivery.handler());
  }

  @Override
  public void failed(Delivery delivery, Throwable cause) {
    count(MeterName.FAILED, delivery);
  }

  @Override
  public void ignored(Delivery delivery) {
    count(MeterName.IGNORED, delivery);
  }

  @Override
  public void retrying(Delivery delivery, @Nullable Throwable cause, Duration delay) {
    count(MeterName.RETRIED, delivery);
  }

  @Override
  public void dead(StoredMessage message, String handler, Fate.Dead fate) {
    meters.count(MeterName.DIED, 1, TYPE, message.envelope().type(), HANDLER, handler);
  }

  @Override
  public void expired(StoredMessage message) {
    meters.count(MeterName.EXPIRED, 1, TYPE, message.envelope().type());
  }

  @Override
  public void purged(String what, int rows) {
    meters.count(MeterName.PURGED, rows, "what", what);
  }

  @Override
  public void recovered(int partition, RelayIdentity from) {
    meters.count(MeterName.RECOVERED, 1);
  }

  @Override
  public void expelled(RelayIdentity identity) {
    meters.count(MeterName.EXPELLED, 1);
  }

  // --- what people do

  @Override
  public void byHand(AdminAction.Kind action, Collection<EntryId> entries) {
    String name = action.name().toLowerCase(Locale.ROOT).replace('_', '-');
    entries.stream()
        .collect(groupingBy(EntryId::handler, counting()))
        .forEach(
            (handler, count) ->
                meters.count(MeterName.BY_HAND, count, "action", name, HANDLER, handler));
  }

  /** Collects settings. Not safe to share between threads. */
  public static final class Builder {
    private final MeterRegistry registry;
    private Tags tags = Tags.empty();
    private String outbox = "outbox";
    private Duration surveyInterval = Duration.ofSeconds(15);
    private int surveyLimit = 500;
    private Clock clock = Clock.systemUTC();
    private Ticker ticker = Ticker.system();

    private Builder(MeterRegistry registry) {
      this.registry = requireNonNull(registry, "registry");
    }

    /** The value of the tag {@code outbox}, to tell several apart: {@code outbox} by default. */
    public Builder outbox(String outbox) {
      this.outbox = requireNonNull(outbox, "outbox");
      return this;
    }

    /** Adds tags to each meter. */
    public Builder tags(Tag... tags) {
      this.tags = this.tags.and(tags);
      return this;
    }

    /** How long the database is left alone after a survey: 15 seconds by default. */
    public Builder surveyInterval(Duration surveyInterval) {
      if (surveyInterval.isNegative() || surveyInterval.isZero()) {
        throw new IllegalArgumentException(
            "surveyInterval was %s but must be positive".formatted(surveyInterval));
      }
      this.surveyInterval = surveyInterval;
      return this;
    }

    /**
     * How many messages of a partition are counted at the most, as in {@link
     * io.posthorn.Admin#survey}: 500 by default.
     */
    public Builder surveyLimit(int surveyLimit) {
      if (surveyLimit < 1) {
        throw new IllegalArgumentException(
            "surveyLimit was %d but must be at least 1".formatted(surveyLimit));
      }
      this.surveyLimit = surveyLimit;
      return this;
    }

    /** Sets the wall clock. */
    public Builder clock(Clock clock) {
      this.clock = requireNonNull(clock, "clock");
      return this;
    }

    /** Sets the source of elapsed time. */
    public Builder ticker(Ticker ticker) {
      this.ticker = requireNonNull(ticker, "ticker");
      return this;
    }

    public PosthornMetrics build() {
      return new PosthornMetrics(this);
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.ConfigurationException;
import io.posthorn.HandlerSpec;
import io.posthorn.PublishOptions;
import io.posthorn.RelayOptions;
import io.posthorn.RetryPolicy;
import io.posthorn.Route;
import io.posthorn.jdbc.InboxTable;
import io.posthorn.jdbc.JdbcMessageStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings under {@code posthorn}. What is not set has the default of the builder, so that a
 * default is said in one place.
 *
 * @param enabled whether there is an outbox at all
 * @param autoStart whether it starts with the application; otherwise call {@code Posthorn.start()}
 * @param publishOnly whether this process only publishes, and another one delivers
 * @param consumeOnly whether this process only receives: there is no outbox, an inbox can be
 * @param retry the retry policy of all that have none of their own
 * @param mdc whether handlers find the message in the MDC
 * @param types settings of types, by type; what one does not set is that of all
 * @param handlers settings of handlers, by name; they win over what the code says
 * @param routes where messages go, by type; a type with dots in brackets
 * @param defaultRoute where messages go that no route takes
 * @param http the sender to HTTP endpoints
 * @since 0.1
 */
@ConfigurationProperties(prefix = "posthorn", ignoreUnknownFields = false)
record PosthornProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("true") boolean autoStart,
    boolean publishOnly,
    boolean consumeOnly,
    @DefaultValue Store store,
    @DefaultValue Publish publish,
    @DefaultValue Relay relay,
    @DefaultValue Retry retry,
    @DefaultValue Events events,
    @DefaultValue Inbox inbox,
    @DefaultValue Health health,
    @DefaultValue Metrics metrics,
    @DefaultValue Admin admin,
    @DefaultValue("true") boolean mdc,
    @DefaultValue Map<String, Type> types,
    @DefaultValue Map<String, Handler> handlers,
    @DefaultValue Map<String, RouteTo> routes,
    @Nullable RouteTo defaultRoute,
    @DefaultValue CloudEvents cloudEvents,
    @DefaultValue Http http) {

  /**
   * The tables.
   *
   * @param createTables whether tables that are missing are created, and older ones upgraded; by
   *     default on H2 only
   * @param tablePrefix what their names begin with, {@code outbox_} by default
   * @param schema where they are; by default where connections begin
   * @param tables full names of single tables, sequences or views, by what follows the prefix
   *     otherwise: {@code message}, {@code deferred-floor}
   * @param partitions how many created tables get, 64 by default
   */
  public record Store(
      @Nullable Boolean createTables,
      @Nullable String tablePrefix,
      @Nullable String schema,
      @DefaultValue Map<String, String> tables,
      @Nullable Integer partitions) {
    void applyTo(JdbcMessageStore.Builder builder) {
      ifSet(createTables, builder::createTables);
      ifSet(tablePrefix, builder::tablePrefix);
      ifSet(schema, builder::schema);
      tables.forEach((table, name) -> builder.table(table.replace('-', '_'), name));
      ifSet(partitions, builder::partitions);
    }
  }

  /**
   * Publishing.
   *
   * @param maxPayload the largest payload, 1 MB by default
   * @param bufferMessages how many messages of one transaction wait in memory
   * @param acceptUnhandledTypes whether a type that no handler of this process takes can be
   *     published
   * @param deleteAtOnce whether messages are deleted in the transaction that writes them, for
   *     change data capture
   * @param purgeAfter at which age messages are deleted, for change data capture
   * @param promotedElsewhere whether a relay of another process delivers delayed messages
   * @param idempotencyRetention how long an idempotency key is taken, 7 days by default
   */
  public record Publish(
      @Nullable DataSize maxPayload,
      @Nullable Integer bufferMessages,
      @Nullable Boolean acceptUnhandledTypes,
      @Nullable Boolean deleteAtOnce,
      @Nullable Duration purgeAfter,
      @Nullable Boolean promotedElsewhere,
      @Nullable Duration idempotencyRetention) {
    void applyTo(PublishOptions options) {
      ifSet(maxPayload, size -> options.maxPayloadBytes(Math.toIntExact(size.toBytes())));
      ifSet(bufferMessages, options::bufferMessages);
      ifSet(acceptUnhandledTypes, options::acceptUnhandledTypes);
      ifSet(deleteAtOnce, options::deleteAtOnce);
      ifSet(purgeAfter, options::purgeAfter);
      ifSet(promotedElsewhere, options::promotedElsewhere);
      ifSet(idempotencyRetention, options::idempotencyRetention);
    }
  }

  /**
   * The relay.
   *
   * @param name in logs and in the instance table; by default host name and process id
   * @param applicationVersion of the application, for operators who look at the fleet
   * @param dataSource the name of the data source bean that the relay takes its connections from;
   *     by default it has its own, outside of any pool, to where the application's data source
   *     leads
   * @param leaseDuration how long a heartbeat is good for, 30 s by default
   * @param heartbeatInterval at most a third of the lease, 5 s by default
   * @param pollInterval how often an idle relay looks for messages, 1 s by default, 500 ms without
   *     signals
   * @param busyPollInterval the same just after it was busy, 50 ms by default, 20 ms without
   *     signals
   * @param lookBack how far reads look back for slow transactions, 10 s by default
   * @param sweepInterval how often all is read from the beginning, 10 s by default
   * @param lateAfter when a handler that is not done no longer keeps others, 5 s by default
   * @param unknownTypeGrace how long a message of an unknown type is kept, 1 h by default
   * @param startupDelay how long the relay waits before it takes partitions
   * @param stopTimeout how long a stop waits for deliveries, 30 s by default
   * @param retention how long delivered messages are kept, not at all by default
   * @param windowMessages how many messages are in memory at once, 5,000 by default
   * @param windowSize how many bytes of payload are in memory at once, 32 MB by default
   * @param settleBatch how many outcomes are stored in one transaction, 1,000 by default
   * @param workers how many deliveries of one handler run at once, 16 by default
   * @param virtualThreads whether handlers run on virtual threads; by default as
   *     spring.threads.virtual.enabled says
   * @param timeLimit after which a delivery is interrupted, 10 min by default
   * @param probeInterval how often a destination that is down is tried, 1 s by default
   * @param crashAttempts how often a message may be under way when the process ends, 3 by default
   */
  public record Relay(
      @Nullable String name,
      @Nullable String applicationVersion,
      @Nullable String dataSource,
      @Nullable Duration leaseDuration,
      @Nullable Duration heartbeatInterval,
      @Nullable Duration pollInterval,
      @Nullable Duration busyPollInterval,
      @Nullable Duration lookBack,
      @Nullable Duration sweepInterval,
      @Nullable Duration lateAfter,
      @Nullable Duration unknownTypeGrace,
      @Nullable Duration startupDelay,
      @Nullable Duration stopTimeout,
      @Nullable Duration retention,
      @Nullable Integer windowMessages,
      @Nullable DataSize windowSize,
      @Nullable Integer settleBatch,
      @Nullable Integer workers,
      @Nullable Boolean virtualThreads,
      @Nullable Duration timeLimit,
      @Nullable Duration probeInterval,
      @Nullable Integer crashAttempts) {
    void applyTo(RelayOptions options) {
      ifSet(name, options::name);
      ifSet(applicationVersion, options::applicationVersion);
      ifSet(leaseDuration, options::leaseDuration);
      ifSet(heartbeatInterval, options::heartbeatInterval);
      ifSet(pollInterval, options::pollInterval);
      ifSet(busyPollInterval, options::busyPollInterval);
      ifSet(lookBack, options::lookBack);
      ifSet(sweepInterval, options::sweepInterval);
      ifSet(lateAfter, options::lateAfter);
      ifSet(unknownTypeGrace, options::unknownTypeGrace);
      ifSet(startupDelay, options::startupDelay);
      ifSet(stopTimeout, options::stopTimeout);
      ifSet(retention, options::retention);
      ifSet(windowMessages, options::windowMessages);
      ifSet(windowSize, size -> options.windowBytes(size.toBytes()));
      ifSet(settleBatch, options::settleBatch);
      ifSet(workers, options::workers);
      ifSet(virtualThreads, options::virtualThreads);
      ifSet(timeLimit, options::timeLimit);
      ifSet(probeInterval, options::probeInterval);
      ifSet(crashAttempts, options::crashAttempts);
    }
  }

  /**
   * A retry policy: 200 ms, doubling up to one minute, ten attempts, unless set otherwise.
   *
   * @param maxAttempts how often a message is tried, the first delivery included
   * @param delay after the first failure
   * @param multiplier by which the delay grows; 1 for a fixed delay
   * @param step by which the delay grows, instead of a multiplier
   * @param maxDelay how long it grows to
   * @param jitter the part of a delay that is left to chance, from 0 to 1
   * @param retryOn failures to retry; all others are given up at once
   * @param noRetryOn failures to give up at once
   */
  public record Retry(
      @Nullable Integer maxAttempts,
      @Nullable Duration delay,
      @Nullable Double multiplier,
      @Nullable Duration step,
      @Nullable Duration maxDelay,
      @Nullable Double jitter,
      @DefaultValue List<Class<? extends Throwable>> retryOn,
      @DefaultValue List<Class<? extends Throwable>> noRetryOn) {
    private static final int MAX_ATTEMPTS = 10;
    private static final Duration DELAY = Duration.ofMillis(200);
    private static final Duration MAX_DELAY = Duration.ofMinutes(1);
    private static final double MULTIPLIER = 2;

    /** With what this does not set taken from another one. */
    Retry or(Retry other) {
      boolean ownGrowth = multiplier != null || step != null;
      return new Retry(
          maxAttempts == null ? other.maxAttempts : maxAttempts,
          delay == null ? other.delay : delay,
          ownGrowth ? multiplier : other.multiplier,
          ownGrowth ? step : other.step,
          maxDelay == null ? other.maxDelay : maxDelay,
          jitter == null ? other.jitter : jitter,
          retryOn.isEmpty() ? other.retryOn : retryOn,
          noRetryOn.isEmpty() ? other.noRetryOn : noRetryOn);
    }

    boolean isEmpty() {
      return equals(new Retry(null, null, null, null, null, null, List.of(), List.of()));
    }

    /**
     * @param place what the properties begin with
     */
    RetryPolicy policy(String place) {
      try {
        return policy();
      } catch (IllegalArgumentException e) {
        throw new ConfigurationException(List.of(place + ": " + e.getMessage()));
      }
    }

    private RetryPolicy policy() {
      int attempts = maxAttempts == null ? MAX_ATTEMPTS : maxAttempts;
      Duration first = delay == null ? DELAY : delay;
      Duration longest = maxDelay == null ? longer(MAX_DELAY, first) : maxDelay;
      RetryPolicy.Backoff policy =
          step == null
              ? RetryPolicy.exponential(
                  first, multiplier == null ? MULTIPLIER : multiplier, longest, attempts)
              : RetryPolicy.linear(first, step, longest, attempts);
      if (jitter != null) {
        policy = policy.jitter(jitter);
      }
      for (Class<? extends Throwable> failure : retryOn) {
        policy = policy.retryOn(failure);
      }
      for (Class<? extends Throwable> failure : noRetryOn) {
        policy = policy.noRetryOn(failure);
      }
      return policy;
    }

    private static Duration longer(Duration one, Duration other) {
      return one.compareTo(other) > 0 ? one : other;
    }
  }

  /**
   * Events of Spring's that are annotated with {@code @OutboxMessage}.
   *
   * @param enabled whether they are recorded in the outbox
   * @param passOn whether listeners of this process get them too
   * @param outbox the name or qualifier of the Outbox bean, if there are several
   */
  public record Events(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("true") boolean passOn,
      @DefaultValue("") String outbox) {}

  /**
   * The inbox.
   *
   * @param enabled whether there is one
   * @param createTables whether its table is created if it is missing; by default on H2 only
   * @param tablePrefix what the name of its table begins with, {@code inbox_} by default
   * @param schema where its table is; by default where connections begin
   * @param retention how long it is remembered what was handled: longer than brokers may deliver it
   *     again
   * @param purgeInterval how often older rows are deleted
   * @param cacheName of a cache of the application's cache manager that is asked first; none by
   *     default
   */
  public record Inbox(
      boolean enabled,
      @Nullable Boolean createTables,
      @Nullable String tablePrefix,
      @Nullable String schema,
      @DefaultValue("14d") Duration retention,
      @DefaultValue("10m") Duration purgeInterval,
      @Nullable String cacheName) {
    void applyTo(InboxTable.Builder builder) {
      ifSet(createTables, builder::createTables);
      ifSet(tablePrefix, builder::tablePrefix);
      ifSet(schema, builder::schema);
    }
  }

  /**
   * The health indicator.
   *
   * @param maxAge the health is down if a message has waited for longer; 5 min by default
   */
  public record Health(@DefaultValue("5m") Duration maxAge) {}

  /**
   * The admin API over HTTP, and the dashboard over it.
   *
   * @param enabled whether it is served, in servlet web applications
   * @param path where; below it are the dashboard, and the API at {@code api/v1}
   * @param access who may use it where Spring Security is not on the class path
   * @param readOnly whether every change is refused
   * @param mask names of headers and of fields of JSON payloads that are not shown, such as {@code
   *     password}; paths from the root begin with {@code $.}
   */
  public record Admin(
      boolean enabled,
      @DefaultValue("/posthorn") String path,
      @DefaultValue("restricted") Access access,
      boolean readOnly,
      @DefaultValue List<String> mask,
      @DefaultValue Authorities authorities) {
    String checkedPath() {
      if (!path.matches("(/[A-Za-z0-9._~-]+)+")) {
        throw new ConfigurationException(
            List.of(
                "posthorn.admin.path was \"%s\" but must be like /posthorn: with a slash at the beginning and none at the end"
                    .formatted(path)));
      }
      return path;
    }
  }

  /** Who may use the admin API where Spring Security is not on the class path. */
  public enum Access {
    /** As a bean of type AdminAuthorizer says. */
    RESTRICTED,
    /** Everybody who can reach the server. */
    OPEN
  }

  /**
   * Which authorities or roles of Spring Security let somebody use the admin API; one is enough.
   *
   * @param see those who see messages without payloads, POSTHORN_SEE by default
   * @param seePayloads those who see payloads, too, POSTHORN_SEE_PAYLOADS by default
   * @param act those who change something, POSTHORN_ACT by default
   */
  public record Authorities(
      @DefaultValue("POSTHORN_SEE") Set<String> see,
      @DefaultValue("POSTHORN_SEE_PAYLOADS") Set<String> seePayloads,
      @DefaultValue("POSTHORN_ACT") Set<String> act) {}

  /**
   * The meters.
   *
   * @param enabled whether there are any
   * @param surveyInterval how often it is counted what waits, 15 s by default
   * @param surveyLimit up to how many messages of a partition are counted, 500 by default
   */
  public record Metrics(
      @DefaultValue("true") boolean enabled,
      @Nullable Duration surveyInterval,
      @Nullable Integer surveyLimit) {}

  /** Settings of a type. */
  public record Type(@DefaultValue Retry retry) {}

  /**
   * Settings of a handler.
   *
   * @param concurrency how many deliveries of it run at once
   * @param timeLimit after which a delivery of it is interrupted
   * @param lanePolicy what happens to later messages of a key when one fails
   */
  public record Handler(
      @Nullable Integer concurrency,
      @Nullable Duration timeLimit,
      HandlerSpec.@Nullable LanePolicy lanePolicy,
      @Nullable RateLimit rateLimit,
      @DefaultValue Retry retry) {
    <P> HandlerSpec<P> applyTo(HandlerSpec<P> spec, Retry defaults) {
      HandlerSpec<P> result = spec;
      if (concurrency != null) {
        result = result.concurrency(concurrency);
      }
      if (timeLimit != null) {
        result = result.timeLimit(timeLimit);
      }
      if (lanePolicy != null) {
        result = result.lanePolicy(lanePolicy);
      }
      if (rateLimit != null) {
        result = result.rateLimit(rateLimit.deliveries, rateLimit.per);
      }
      return retry.isEmpty()
          ? result
          : result.retry(retry.or(defaults).policy("posthorn.handlers." + spec.name() + ".retry"));
    }
  }

  /**
   * Where messages go. Texts may have values of the message in braces, as in {@code
   * orders-{tenant}}.
   *
   * @param to the name of the sender; by default kafka with a topic, rabbit with an exchange, http
   *     with a URL, or the only one there is
   * @param topic the topic of Kafka; by default the type
   * @param exchange the exchange of RabbitMQ; by default the type
   * @param url the URL of an HTTP endpoint
   * @param routingKey of RabbitMQ; by default the type
   * @param key the key for the broker; by default that of the message
   * @param headers more headers
   */
  public record RouteTo(
      @Nullable String to,
      @Nullable String topic,
      @Nullable String exchange,
      @Nullable String url,
      @Nullable String routingKey,
      @Nullable String key,
      @DefaultValue Map<String, String> headers) {
    /**
     * @param place what the properties begin with
     * @param senders the names of those there are
     */
    Route route(String place, Route.Selection selection, Set<String> senders) {
      try {
        String destination = topic != null ? topic : exchange != null ? exchange : url;
        String sender = sender(place, senders);
        Route route =
            destination == null ? selection.to(sender) : selection.to(sender, destination);
        if (routingKey != null) {
          route = route.routingKey(routingKey);
        }
        if (key != null) {
          route = route.key(key);
        }
        for (Map.Entry<String, String> header : headers.entrySet()) {
          route = route.header(header.getKey(), header.getValue());
        }
        return route;
      } catch (IllegalArgumentException e) {
        throw new ConfigurationException(List.of(place + ": " + e.getMessage()));
      }
    }

    private String sender(String place, Set<String> senders) {
      if (Stream.of(topic, exchange, url).filter(Objects::nonNull).count() > 1) {
        throw new ConfigurationException(
            List.of(
                "more than one of %s.topic, %s.exchange and %s.url was set, but a message goes to one of them; make them several routes"
                    .formatted(place, place, place)));
      }
      if (to != null) {
        return to;
      }
      if (topic != null) {
        return SenderSource.KAFKA;
      }
      if (exchange != null) {
        return SenderSource.RABBIT;
      }
      if (url != null) {
        return SenderSource.HTTP;
      }
      // The one to HTTP endpoints is always there, and needs a URL.
      List<String> others =
          senders.stream().filter(name -> !name.equals(SenderSource.HTTP)).toList();
      if (others.size() == 1) {
        return others.get(0);
      }
      throw new ConfigurationException(
          List.of(
              "%s.to was not set, but there is not one sender that could be meant; the senders are %s"
                  .formatted(place, new TreeSet<>(senders))));
    }
  }

  /**
   * Headers of CloudEvents in binary mode, beside the others.
   *
   * @param enabled whether they are sent
   * @param source a URI that names who sends; by default that of the application's name
   */
  public record CloudEvents(boolean enabled, @Nullable String source) {}

  /**
   * The sender to HTTP endpoints.
   *
   * @param secrets by which requests are signed, each whsec_ and Base64; while one is replaced, the
   *     new one first
   * @param headers of every request, such as authorization
   * @param connectTimeout how long connecting may take, 5 s by default
   * @param requestTimeout how long an endpoint may take to answer, 15 s by default
   * @param maxConcurrentRequests how many requests are under way to one host, 64 by default
   * @param plainHosts hosts to which unencrypted requests are allowed
   */
  public record Http(
      @DefaultValue List<String> secrets,
      @DefaultValue Map<String, String> headers,
      @Nullable Duration connectTimeout,
      @Nullable Duration requestTimeout,
      @Nullable Integer maxConcurrentRequests,
      @DefaultValue List<String> plainHosts) {}

  /**
   * How many deliveries begin within a time, at the most.
   *
   * @param per one second by default
   */
  public record RateLimit(int deliveries, @DefaultValue("1s") Duration per) {}

  private static <T> void ifSet(@Nullable T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }
}

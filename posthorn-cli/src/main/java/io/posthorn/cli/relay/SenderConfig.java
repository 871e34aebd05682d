/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import com.rabbitmq.client.ConnectionFactory;
import io.posthorn.ConfigurationException;
import io.posthorn.HandlerSpec;
import io.posthorn.cli.config.Section;
import io.posthorn.http.HttpSender;
import io.posthorn.kafka.KafkaSender;
import io.posthorn.rabbitmq.RabbitSender;
import io.posthorn.spi.Sender;
import java.net.URISyntaxException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * One of the {@code senders}.
 *
 * @param plainHosts to which an HTTP sender may send unencrypted requests
 * @param make makes the sender, which is also closeable
 * @param handler changes how its messages are delivered
 */
record SenderConfig(
    String name,
    Kind kind,
    Set<String> plainHosts,
    Supplier<Sender> make,
    UnaryOperator<HandlerSpec<byte[]>> handler) {
  private static final Duration RABBIT_TIMEOUT = Duration.ofMinutes(2);
  private static final Pattern SECRET = Pattern.compile("(?i).*(password|jaas|secret|token).*");

  /** What it sends to, and how a route names the destination. */
  enum Kind {
    KAFKA("topic"),
    RABBITMQ("exchange"),
    HTTP("url");

    private final String destination;

    Kind(String destination) {
      this.destination = destination;
    }

    String destination() {
      return destination;
    }
  }

  /** Empty, and a problem noted, if it is of no kind. */
  static Optional<SenderConfig> of(String name, Section section) {
    String type = section.neededText("type", "kafka, rabbitmq or http");
    UnaryOperator<HandlerSpec<byte[]>> handler = handler(section);
    return switch (type) {
      case "kafka" -> Optional.of(kafka(name, section, handler));
      case "rabbitmq" -> Optional.of(rabbit(name, section, handler));
      case "http" -> Optional.of(http(name, section, handler));
      default -> {
        if (!type.isEmpty()) {
          section.problem("type", "was \"%s\" but must be kafka, rabbitmq or http".formatted(type));
        }
        yield Optional.empty();
      }
    };
  }

  private static SenderConfig kafka(
      String name, Section section, UnaryOperator<HandlerSpec<byte[]>> handler) {
    Map<String, String> settings = new LinkedHashMap<>();
    section
        .section("settings")
        .ifPresentOrElse(
            all -> {
              if (!all.has("bootstrap.servers")) {
                all.problem("bootstrap.servers", "is not set; for example: localhost:9092");
              }
              for (String key : all.keys()) {
                (SECRET.matcher(key).matches() ? all.secret(key) : all.text(key))
                    .ifPresent(value -> settings.put(key, value));
              }
            },
            () ->
                section.problem(
                    "settings",
                    "is not set; it has the settings of a Kafka producer, at least bootstrap.servers"));
    return new SenderConfig(
        name, Kind.KAFKA, Set.of(), () -> KafkaSender.connect(settings), handler);
  }

  private static SenderConfig rabbit(
      String name, Section section, UnaryOperator<HandlerSpec<byte[]>> handler) {
    String uri = section.neededText("uri", "amqps://rabbit.example.com");
    if (uri.matches("(?s)[a-z]+://[^/]*@.*")) {
      section.problem("uri", "has a user or password; set \"user\" and \"password\" instead");
    }
    Optional<String> user = section.text("user");
    Optional<String> password = section.secret("password");
    Duration timeout = section.duration("timeout").orElse(RABBIT_TIMEOUT);
    ConnectionFactory factory = new ConnectionFactory();
    try {
      if (!uri.isEmpty()) {
        factory.setUri(uri);
      }
    } catch (URISyntaxException | GeneralSecurityException | IllegalArgumentException e) {
      section.problem("uri", "is no AMQP URI: " + e.getMessage());
    }
    user.ifPresent(factory::setUsername);
    password.ifPresent(factory::setPassword);
    return new SenderConfig(
        name, Kind.RABBITMQ, Set.of(), () -> RabbitSender.connect(factory, timeout), handler);
  }

  private static SenderConfig http(
      String name, Section section, UnaryOperator<HandlerSpec<byte[]>> handler) {
    HttpSender.Builder builder = HttpSender.builder();
    List<String> plainHosts = section.texts("plain-hosts");
    builder.plainHttp(plainHosts.toArray(String[]::new)).secrets(section.secrets("secrets"));
    section
        .section("headers")
        .ifPresent(
            headers -> {
              for (String header : headers.keys()) {
                (header.equalsIgnoreCase("authorization")
                        ? headers.secret(header)
                        : headers.text(header))
                    .ifPresent(value -> builder.header(header, value));
              }
            });
    section.duration("connect-timeout").ifPresent(builder::connectTimeout);
    section.duration("request-timeout").ifPresent(builder::requestTimeout);
    section.integer("max-concurrent-requests").ifPresent(builder::maxConcurrentRequests);
    try {
      builder.check();
    } catch (ConfigurationException e) {
      e.problems().forEach(problem -> section.problem("type", "is http, but " + problem));
    }
    return new SenderConfig(name, Kind.HTTP, Set.copyOf(plainHosts), builder::build, handler);
  }

  private static UnaryOperator<HandlerSpec<byte[]>> handler(Section section) {
    var concurrency = section.integer("concurrency");
    var retry = RetryConfig.of(section);
    var limit = section.section("rate-limit");
    var deliveries = limit.flatMap(rate -> rate.integer("deliveries"));
    Duration per = limit.flatMap(rate -> rate.duration("per")).orElse(Duration.ofSeconds(1));
    return spec -> {
      HandlerSpec<byte[]> result = spec;
      if (concurrency.isPresent()) {
        result = result.concurrency(concurrency.get());
      }
      if (retry.isPresent()) {
        result = result.retry(retry.get());
      }
      return deliveries.isPresent() ? result.rateLimit(deliveries.get(), per) : result;
    };
  }
}

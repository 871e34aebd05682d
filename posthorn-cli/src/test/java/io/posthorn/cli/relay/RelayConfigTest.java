/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.ConfigurationException;
import io.posthorn.cli.config.ConfigFile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RelayConfigTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "DB_PASSWORD", "s3cret",
          "HOOK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
          "BAD_TIME", "hidden-value");

  private static final String GOOD =
      """
      database:
        url: jdbc:postgresql://db/shop
        user: posthorn
        password: ${DB_PASSWORD}
      relay:
        lease-duration: 20s
        heartbeat-interval: 5s
        retry: {max-attempts: 5, delay: 1s}
      senders:
        kafka:
          type: kafka
          settings:
            bootstrap.servers: ${KAFKA:localhost:9092}
        hooks:
          type: http
          secrets: ["${HOOK_SECRET}"]
          request-timeout: 10s
          rate-limit: {deliveries: 100, per: 1s}
      routes:
        - type: [order-placed, order-paid]
          topic: orders-{tenant}
          headers: {region: eu}
        - header: {name: webhook}
          url: https://hooks.example.com/{tenant}
        - otherwise: true
          to: kafka
      cloud-events: {source: /shop}
      server:
        port: 9000
        admin:
          users:
            anna: {password: "${DB_PASSWORD}", may: act}
      """;

  private static RelayConfig read(String text) {
    return RelayConfig.of(ConfigFile.parse("relay.yaml", text, ENVIRONMENT::get));
  }

  private static List<String> problems(String text) {
    try {
      read(text);
    } catch (ConfigurationException e) {
      return e.problems();
    }
    throw new AssertionError("no problem found");
  }

  @Test
  void aCompleteFileIsRead() {
    RelayConfig config = read(GOOD);

    assertThat(config.database().address().password()).isEqualTo("s3cret");
    assertThat(config.database().address().toString()).doesNotContain("s3cret");
    assertThat(config.senders()).extracting(SenderConfig::name).containsExactly("kafka", "hooks");
    assertThat(config.routes())
        .extracting(route -> route.sender())
        .containsExactly("kafka", "hooks", "kafka");
    assertThat(config.server().address().getPort()).isEqualTo(9000);
    assertThat(config.cloudEventsSource()).contains("/shop");
  }

  @Test
  void allProblemsAreReportedTogetherWithLineAndFix() {
    assertThat(
            problems(
                """
                database:
                  url: jdbc:postgresql://db/shop?password=x
                  pasword: ${DB_PASSWORD}
                  password: hunter2
                relay:
                  lease-duration: soon
                  poll-interval: ${BAD_TIME}
                  workers: ${NOT_SET}
                senders:
                  hooks:
                    type: htp
                  web:
                    type: http
                    secrets: ["whsec_inTheFile"]
                routes:
                  - type: order-placed
                    to: web
                    url: http://internal/hook
                  - type: order-paid
                    to: wep
                  - topic: orders
                server: {port: 99999}
                """))
        .containsExactly(
            "relay.yaml, line 2: database.url has a password; set database.password to ${NAME} instead",
            "relay.yaml, line 3: database.pasword is unknown; did you mean \"password\"?",
            "relay.yaml, line 4: database.password must not be in the file; write ${NAME} and set that in the environment",
            "relay.yaml, line 6: relay.lease-duration was \"soon\" but must be a time such as 500ms, 30s, 5m, 1h or 7d",
            "relay.yaml, line 7: relay.poll-interval was what ${BAD_TIME} stands for but must be a time such as 500ms, 30s, 5m, 1h or 7d",
            "relay.yaml, line 8: relay.workers names the environment variable NOT_SET, which is not set; set it, or write ${NOT_SET:default}",
            "relay.yaml, line 11: senders.hooks.type was \"htp\" but must be kafka, rabbitmq or http",
            "relay.yaml, line 13: senders.web.type is http, but secret 1 of the HTTP sender must be \"whsec_\" and 24 to 64 bytes in Base64; make one with: echo \"whsec_$(openssl rand -base64 32)\"",
            "relay.yaml, line 14: senders.web.secrets must not be in the file; write ${NAME} and set that in the environment",
            "relay.yaml, line 18: routes[0].url is not encrypted: use https, or name the host \"internal\" in senders.web.plain-hosts",
            "relay.yaml, line 20: routes[1].to was \"wep\", but there is no sender of that name; senders are [web]",
            "relay.yaml, line 21: routes[2].type is not clear: set one of \"type\" (one or a list), \"header\" (with a name and perhaps a value), or \"otherwise: true\" for what no other route takes",
            "relay.yaml, line 21: routes[2].to is not set, and it is not clear which sender is meant; senders are [web]",
            "relay.yaml, line 22: server.port was 99999 but must be between 0 and 65535");
  }

  @Test
  void whatIsMissingIsNamed() {
    assertThat(problems("server: {port: 8080}"))
        .containsExactlyInAnyOrder(
            "relay.yaml, line 1: database is not set; it needs at least a url",
            "relay.yaml, line 1: senders is not set; name at least one",
            "relay.yaml, line 1: routes is not set; without a route nothing would be delivered");
  }

  @Test
  void whatIsNoYamlIsRefusedWithItsLine() {
    assertThatThrownBy(() -> read("database:\n  url: [unclosed\n"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("relay.yaml, line ")
        .hasMessageContaining("is no YAML");
    assertThatThrownBy(() -> read("a: 1\na: 2\n")).hasMessageContaining("relay.yaml, line 2");
    assertThatThrownBy(() -> read("")).hasMessageContaining("is empty");
    assertThatThrownBy(() -> read("- 1\n")).hasMessageContaining("must consist of settings");
  }

  @Test
  void variablesAreFilledInAfterParsingSoThatTheirValuesAreNoYaml() {
    RelayConfig config =
        RelayConfig.of(
            ConfigFile.parse(
                "relay.yaml",
                GOOD,
                name ->
                    name.equals("DB_PASSWORD") ? "x\nserver: {port: 1}" : ENVIRONMENT.get(name)));

    assertThat(config.database().address().password()).isEqualTo("x\nserver: {port: 1}");
    assertThat(config.server().address().getPort()).isEqualTo(9000);
  }
}

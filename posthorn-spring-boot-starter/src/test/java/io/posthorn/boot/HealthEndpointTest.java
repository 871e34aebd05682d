/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.posthorn.Posthorn;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

class HealthEndpointTest {
  private static final String DETAILS = "management.endpoint.health.show-details=always";

  @Test
  void theEndpointShowsARelayThatRunsAndOneThatIsDead() throws Exception {
    try (WebShop shop = WebShop.run(Shop.class, DETAILS)) {
      JsonNode well = shop.json("/actuator/health").at("/components/posthorn");
      assertThat(well.at("/status").asText()).isEqualTo("UP");
      assertThat(well.at("/details/outbox/relay").asText()).isEqualTo("running");

      shop.context().getBean(Posthorn.class).stop(Duration.ofSeconds(20));

      assertThat(shop.get("/actuator/health").statusCode()).isEqualTo(503);
      JsonNode dead = shop.json("/actuator/health").at("/components/posthorn");
      assertThat(dead.at("/status").asText()).isEqualTo("DOWN");
      assertThat(dead.at("/details/outbox/problems/0").asText())
          .contains("was started but is not running");
    }
  }

  @Test
  void anOutboxWhoseTablesCannotBeReadIsDown() throws Exception {
    try (WebShop shop = WebShop.run(Shop.class, DETAILS, "posthorn.publish-only=true")) {
      try (Connection connection = shop.context().getBean(DataSource.class).getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("DROP ALL OBJECTS");
      }

      JsonNode health = shop.json("/actuator/health").at("/components/posthorn");
      assertThat(health.at("/status").asText()).isEqualTo("DOWN");
      assertThat(health.at("/details/outbox/relay").asText()).isEqualTo("in other processes");
      assertThat(health.at("/details/outbox/problems/0").asText())
          .startsWith("it can't be seen what waits: ");
    }
  }

  @Test
  void itCanBeSwitchedOffAsOtherIndicatorsCan() {
    try (ConfigurableApplicationContext on = Shop.run(Shop.class)) {
      assertThat(on.containsBean("posthornHealthIndicator")).isTrue();
    }
    for (String off : new String[] {"posthorn", "defaults"}) {
      try (ConfigurableApplicationContext context =
          Shop.run(Shop.class, "management.health." + off + ".enabled=false")) {
        assertThat(context.containsBean("posthornHealthIndicator")).isFalse();
        assertThat(context.getBeanNamesForType(HealthCompanion.class)).isEmpty();
      }
    }
  }
}

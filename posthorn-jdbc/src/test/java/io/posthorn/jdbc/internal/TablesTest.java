/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TablesTest {

  @Test
  void namesAreThePrefixAndTheTable() {
    Tables tables = new Tables("shop_", null);

    assertThat(tables.message()).isEqualTo("shop_message");
    assertThat(tables.deferred()).isEqualTo("shop_deferred");
    assertThat(tables.dead()).isEqualTo("shop_dead");
    assertThat(tables.instance()).isEqualTo("shop_instance");
    assertThat(tables.partition()).isEqualTo("shop_partition");
    assertThat(tables.schema()).isEqualTo("shop_schema");
    assertThat(tables.incarnation()).isEqualTo("shop_incarnation");
  }

  @Test
  void aSchemaGoesBeforeTheTables() {
    assertThat(new Tables("shop_", "sales").message()).isEqualTo("sales.shop_message");
  }

  @Test
  void outboxesHaveSignalsOfTheirOwn() {
    assertThat(new Tables("Shop_", null).channel()).isEqualTo("posthorn_shop_");
    assertThat(new Tables("INFO_", "I").channel())
        .as("the same in every locale")
        .isEqualTo("posthorn_i_info_");
  }

  @Test
  void aScriptGetsTheNamesAndTheNumberOfPartitions() {
    String script =
        """
        CREATE TABLE outbox_message (x int, CONSTRAINT outbox_message_x_ck CHECK (x > 0));
        CREATE INDEX outbox_deferred_lane_ix ON outbox_deferred (x);
        SELECT x FROM system_range(0, 63);
        """;

    assertThat(new Tables("shop_", "sales").inScript(script, 8))
        .isEqualTo(
            """
            CREATE TABLE sales.shop_message (x int, CONSTRAINT shop_message_x_ck CHECK (x > 0));
            CREATE INDEX shop_deferred_lane_ix ON sales.shop_deferred (x);
            SELECT x FROM system_range(0, 7);
            """);
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.table;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.Transactions;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/** jOOQ without a framework. */
final class JooqOrders implements Orders {
  private final JdbcTransactions transactions;
  private final SQLDialect dialect;

  JooqOrders(DataSource dataSource, SQLDialect dialect) {
    this.transactions = new JdbcTransactions(dataSource);
    this.dialect = dialect;
  }

  @Override
  public Transactions transactions() {
    return transactions;
  }

  @Override
  public void place(Outbox outbox, long id, Payment payment) throws Exception {
    // docs:begin
    transactions.run(
        connection -> {
          DSLContext jooq = DSL.using(connection, dialect);
          jooq.insertInto(table("orders"), field("id")).values(id).execute();
          outbox.publish(Message.of("order-placed").key("" + id).payload("{}").build());
          payment.charge();
        });
    // docs:end
  }

  /** The same by jOOQ's own transactions, which commit the connection. */
  void placeByJooq(Outbox outbox, long id, Payment nested) throws Exception {
    try (var connection = transactions.begin()) {
      DSL.using(connection, dialect)
          .transaction(
              outer -> {
                outer.dsl().insertInto(table("orders"), field("id")).values(id).execute();
                outbox.publish(Message.of(TYPE).key("" + id).payload("{}").build());
                nested(outer.dsl(), outbox, id, nested);
              });
    }
  }

  /** In a savepoint, which a failure takes back. */
  private static void nested(DSLContext outer, Outbox outbox, long id, Payment payment) {
    try {
      outer.transaction(
          inner -> {
            inner.dsl().insertInto(table("orders"), field("id")).values(-id).execute();
            outbox.publish(Message.of(TYPE).key("" + -id).payload("{}").build());
            payment.charge();
          });
    } catch (RuntimeException e) {
      // The outer transaction goes on.
    }
  }
}

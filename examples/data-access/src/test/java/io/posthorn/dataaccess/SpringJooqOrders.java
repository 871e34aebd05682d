/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.table;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.spi.Transactions;
import io.posthorn.spring.SpringTransactions;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** jOOQ in Spring's transactions, as Spring Boot configures it. */
final class SpringJooqOrders implements Orders {
  private final Transactions transactions;
  private final SpringScope scope;
  private final DSLContext jooq;

  SpringJooqOrders(DataSource dataSource, SQLDialect dialect) {
    PlatformTransactionManager manager = new JdbcTransactionManager(dataSource);
    this.transactions = SpringTransactions.on(dataSource, manager);
    this.scope = new SpringScope(manager);
    this.jooq = DSL.using(new TransactionAwareDataSourceProxy(dataSource), dialect);
  }

  @Override
  public Transactions transactions() {
    return transactions;
  }

  @Override
  public void place(Outbox outbox, long id, Payment payment) throws Exception {
    scope.inTransaction(
        () -> {
          jooq.insertInto(table("orders"), field("id")).values(id).execute();
          outbox.publish(Message.of(TYPE).key("" + id).payload("{}").build());
          payment.charge();
        });
  }
}

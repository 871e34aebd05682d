/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.Transactions;
import java.sql.Connection;
import javax.sql.DataSource;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Transaction;
import org.hibernate.cfg.Configuration;

/** Hibernate without a framework. */
final class HibernateOrders implements Orders {
  private final JdbcTransactions transactions;
  private final SessionFactory sessions;

  HibernateOrders(DataSource dataSource) {
    this.transactions = new JdbcTransactions(dataSource);
    Configuration configuration = new Configuration().addAnnotatedClass(Order.class);
    configuration.getProperties().put("hibernate.connection.datasource", dataSource);
    this.sessions = configuration.buildSessionFactory();
  }

  @Override
  public Transactions transactions() {
    return transactions;
  }

  @Override
  public void place(Outbox outbox, long id, Payment payment) throws Exception {
    // docs:begin
    try (Connection connection = transactions.begin();
        Session session = sessions.withOptions().connection(connection).openSession()) {
      Transaction transaction = session.beginTransaction();
      session.persist(new Order(id));
      outbox.publish(Message.of("order-placed").key("" + id).payload("{}").build());
      payment.charge();
      transaction.commit(); // flushes, then commits the connection, messages included
    }
    // docs:end
  }

  @Override
  public void close() {
    sessions.close();
  }
}

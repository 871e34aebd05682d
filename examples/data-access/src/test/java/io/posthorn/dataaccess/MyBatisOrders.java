/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.jdbc.JdbcTransactions;
import io.posthorn.spi.Transactions;
import java.util.Properties;
import javax.sql.DataSource;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.managed.ManagedTransactionFactory;

/** MyBatis without a framework. */
final class MyBatisOrders implements Orders {
  private final JdbcTransactions transactions;
  private final SqlSessionFactory sessions;

  MyBatisOrders(DataSource dataSource) {
    this.transactions = new JdbcTransactions(dataSource);
    this.sessions = sessions(dataSource);
  }

  private static SqlSessionFactory sessions(DataSource dataSource) {
    // docs:begin
    // JdbcTransactions commits and closes the connection, so that MyBatis does neither.
    Properties settings = new Properties();
    settings.setProperty("closeConnection", "false");
    ManagedTransactionFactory managed = new ManagedTransactionFactory();
    managed.setProperties(settings);
    Configuration configuration = new Configuration(new Environment("app", managed, dataSource));
    configuration.addMapper(OrderMapper.class);
    SqlSessionFactory sessions = new SqlSessionFactoryBuilder().build(configuration);
    // docs:end
    return sessions;
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
          try (SqlSession session = sessions.openSession(connection)) {
            session.getMapper(OrderMapper.class).insert(id);
            outbox.publish(Message.of("order-placed").key("" + id).payload("{}").build());
            payment.charge();
          }
        });
    // docs:end
  }
}

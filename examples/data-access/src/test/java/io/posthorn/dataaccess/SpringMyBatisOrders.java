/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.spi.Transactions;
import io.posthorn.spring.SpringTransactions;
import javax.sql.DataSource;
import org.apache.ibatis.session.SqlSessionFactory;
import org.mybatis.spring.SqlSessionFactoryBean;
import org.mybatis.spring.SqlSessionTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** MyBatis in Spring's transactions, as {@code mybatis-spring} has it. */
final class SpringMyBatisOrders implements Orders {
  private final Transactions transactions;
  private final SpringScope scope;
  private final OrderMapper orders;

  SpringMyBatisOrders(DataSource dataSource) throws Exception {
    PlatformTransactionManager manager = new JdbcTransactionManager(dataSource);
    this.transactions = SpringTransactions.on(dataSource, manager);
    this.scope = new SpringScope(manager);
    SqlSessionFactoryBean bean = new SqlSessionFactoryBean();
    bean.setDataSource(dataSource);
    SqlSessionFactory factory = bean.getObject();
    factory.getConfiguration().addMapper(OrderMapper.class);
    this.orders = new SqlSessionTemplate(factory).getMapper(OrderMapper.class);
  }

  @Override
  public Transactions transactions() {
    return transactions;
  }

  @Override
  public void place(Outbox outbox, long id, Payment payment) throws Exception {
    scope.inTransaction(
        () -> {
          orders.insert(id);
          outbox.publish(Message.of(TYPE).key("" + id).payload("{}").build());
          payment.charge();
        });
  }
}

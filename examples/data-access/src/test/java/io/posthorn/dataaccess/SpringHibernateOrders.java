/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dataaccess;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.spi.Transactions;
import io.posthorn.spring.SpringTransactions;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import javax.sql.DataSource;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

/** Hibernate in the transactions of Spring's {@link JpaTransactionManager}. */
final class SpringHibernateOrders implements Orders {
  private final EntityManagerFactory factory;
  private final EntityManager entities;
  private final Transactions transactions;
  private final SpringScope scope;

  SpringHibernateOrders(DataSource dataSource) {
    LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
    bean.setDataSource(dataSource);
    bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
    bean.setPackagesToScan(Order.class.getPackageName());
    bean.afterPropertiesSet();
    this.factory = bean.getObject();
    this.entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
    JpaTransactionManager manager = new JpaTransactionManager(factory);
    manager.setDataSource(dataSource);
    manager.afterPropertiesSet();
    this.transactions = SpringTransactions.on(dataSource, manager);
    this.scope = new SpringScope(manager);
  }

  @Override
  public Transactions transactions() {
    return transactions;
  }

  @Override
  public void place(Outbox outbox, long id, Payment payment) throws Exception {
    scope.inTransaction(
        () -> {
          entities.persist(new Order(id));
          outbox.publish(Message.of(TYPE).key("" + id).payload("{}").build());
          payment.charge();
        });
  }

  @Override
  public void close() {
    factory.close();
  }
}

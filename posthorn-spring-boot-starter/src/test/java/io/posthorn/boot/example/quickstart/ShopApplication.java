/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.example.quickstart;

// docs:begin
import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import io.posthorn.spring.OutboxHandler;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@SpringBootApplication
public class ShopApplication {
  public static void main(String[] arguments) {
    SpringApplication.run(ShopApplication.class, arguments);
  }

  @OutboxMessage(type = "order-placed", key = "orderId")
  public record OrderPlaced(String orderId, String email) {}

  @Service
  public static class Orders {
    private final JdbcClient database;
    private final Outbox outbox;

    Orders(JdbcClient database, Outbox outbox) {
      this.database = database;
      this.outbox = outbox;
    }

    @Transactional
    public void place(String id, String email) {
      database.sql("INSERT INTO orders (id) VALUES (?)").param(id).update();
      outbox.publish(new OrderPlaced(id, email)); // committed with the order, or not at all
    }
  }

  @Component
  public static class Mailer {
    @OutboxHandler(name = "mailer")
    void confirm(OrderPlaced placed) { // called after the commit, retried if it throws
      System.out.println("mail to " + placed.email() + " about order " + placed.orderId());
    }
  }

  @Bean
  ApplicationRunner firstOrder(JdbcClient database, Orders orders) {
    return arguments -> {
      database.sql("CREATE TABLE orders (id varchar(36) PRIMARY KEY)").update();
      orders.place("o-1", "ada@example.com");
    };
  }
}
// docs:end

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

/** A broker that speaks AMQP 0-9-1. */
public interface AmqpServer extends BrokerServer {

  /** RabbitMQ if this machine has it, or else what stands in for it. */
  static AmqpServer installed() {
    return RabbitServer.installed() ? new RabbitServer() : new QpidServer();
  }

  /** Which one it is, for the report of a test run. */
  String product();

  /** With user, password and virtual host; the same from construction to {@link #close()}. */
  String uri();

  boolean hasQuorumQueues();

  /** Refuses messages that are larger; legal only before the first start. */
  AmqpServer withMaxMessageBytes(int bytes);
}

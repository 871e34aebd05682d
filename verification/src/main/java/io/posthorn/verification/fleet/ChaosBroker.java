/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.servers.BrokerServer;

/** A broker with all destinations of the instances. What is done to one depends on its kind. */
interface ChaosBroker extends AutoCloseable {
  BrokerServer server();

  /** As instances understand it. */
  String address();

  /** From now on it takes no messages for this destination. */
  void closeDestination(String name) throws Exception;

  void openDestination(String name) throws Exception;

  /** From now on it takes no messages at all, though it is there. */
  void refuseMessages() throws Exception;

  void takeMessages() throws Exception;

  @Override
  default void close() {
    server().close();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import java.time.Duration;

/** What a sender makes of an application's settings. */
final class OwnFactory {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private OwnFactory() {}

  /** A copy whose connections end when they are lost, and are missed soon. */
  static ConnectionFactory of(ConnectionFactory given) {
    ConnectionFactory own = given.clone();
    // What was published on a connection that recovers by itself would be neither confirmed nor
    // known to be lost.
    own.setAutomaticRecoveryEnabled(false);
    own.setTopologyRecoveryEnabled(false);
    own.setConnectionTimeout(limited(own.getConnectionTimeout()));
    own.setHandshakeTimeout(limited(own.getHandshakeTimeout()));
    own.setChannelRpcTimeout(limited(own.getChannelRpcTimeout()));
    if (own.getRequestedHeartbeat() == ConnectionFactory.DEFAULT_HEARTBEAT) {
      own.setRequestedHeartbeat(Math.toIntExact(LIMIT.toSeconds()));
    }
    return own;
  }

  /** Zero stands for no limit. */
  private static int limited(int millis) {
    int limit = Math.toIntExact(LIMIT.toMillis());
    return millis <= 0 ? limit : Math.min(millis, limit);
  }
}

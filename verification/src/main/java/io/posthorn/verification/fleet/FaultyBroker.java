/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.servers.KafkaServer;
import io.posthorn.verification.check.Fault;
import java.time.Duration;

/** The broker that messages are sent to, which can be restarted and frozen. */
public final class FaultyBroker implements AutoCloseable {
  private final KafkaServer broker;
  private final FaultInjector faults;
  private final AttendedSleep sleep;

  private FaultyBroker(KafkaServer broker, FaultInjector faults, AttendedSleep sleep) {
    this.broker = broker;
    this.faults = faults;
    this.sleep = sleep;
  }

  static FaultyBroker start(FaultInjector faults, AttendedSleep sleep) {
    KafkaServer broker = new KafkaServer().withSetting("message.max.bytes", "2000000");
    broker.start();
    return new FaultyBroker(broker, faults, sleep);
  }

  String bootstrapServers() {
    return broker.bootstrapServers();
  }

  /**
   * @param kill whether it dies, or is stopped in the orderly way
   */
  public void restart(boolean kill, Duration away) throws Exception {
    faults.inflictOnAll(
        kill ? Fault.Kind.BROKER_KILL : Fault.Kind.BROKER_STOP,
        away,
        () -> {
          if (kill) {
            broker.kill();
          } else {
            broker.stop();
          }
          sleep.sleep(away);
          broker.start();
        });
  }

  public void freeze(Duration time) throws Exception {
    faults.inflictOnAll(
        Fault.Kind.BROKER_FREEZE,
        time,
        () -> {
          broker.freeze();
          sleep.sleep(time);
          broker.thaw();
        });
  }

  @Override
  public void close() {
    broker.close();
  }
}

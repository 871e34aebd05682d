/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.check.Fault;
import io.posthorn.verification.instance.BrokerConsumers;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** The broker that messages are sent to: it can be restarted, frozen, and be closed in part. */
public final class FaultyBroker implements AutoCloseable {
  private final ChaosBroker broker;
  private final FaultInjector faults;
  private final AttendedSleep sleep;

  private FaultyBroker(ChaosBroker broker, FaultInjector faults, AttendedSleep sleep) {
    this.broker = broker;
    this.faults = faults;
    this.sleep = sleep;
  }

  static FaultyBroker start(FleetPlan plan, FaultInjector faults, AttendedSleep sleep)
      throws IOException {
    try {
      ChaosBroker broker =
          plan.has(FleetPlan.Extra.RABBITMQ) ? ChaosRabbit.start() : ChaosKafka.start();
      return new FaultyBroker(broker, faults, sleep);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("no broker started: " + e, e);
    }
  }

  String address() {
    return broker.address();
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
            broker.server().kill();
          } else {
            broker.server().stop();
          }
          sleep.sleep(away);
          broker.server().start();
        });
  }

  public void freeze(Duration time) throws Exception {
    faults.inflictOnAll(
        Fault.Kind.BROKER_FREEZE,
        time,
        () -> {
          broker.server().freeze();
          sleep.sleep(time);
          broker.server().thaw();
        });
  }

  /** One of the topics or exchanges takes nothing for a while. */
  public void closeDestination(Random random, Duration time) throws Exception {
    List<String> all = BrokerConsumers.destinations();
    String one = all.get(random.nextInt(all.size()));
    faults.inflictOnAll(
        Fault.Kind.DESTINATION_CLOSED,
        time,
        () -> {
          broker.closeDestination(one);
          sleep.sleep(time);
          broker.openDestination(one);
        });
  }

  /** It takes nothing for a while, as when it is short of memory or replicas. */
  public void refuseMessages(Duration time) throws Exception {
    faults.inflictOnAll(
        Fault.Kind.BROKER_FULL,
        time,
        () -> {
          broker.refuseMessages();
          sleep.sleep(time);
          broker.takeMessages();
        });
  }

  @Override
  public void close() {
    broker.close();
  }
}

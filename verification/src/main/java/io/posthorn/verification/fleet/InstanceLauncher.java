/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.instance.InstanceSettings;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Starts the JVMs of instances as the plan wants them, each behind a proxy. */
final class InstanceLauncher {
  private final FleetPlan plan;
  private final ChaosDatabase database;
  private final FaultyDatabaseServer server;
  private final @Nullable FaultyPooler pooler;
  private final @Nullable FaultyBroker broker;

  /**
   * @param pooler null: instances connect to the server
   * @param broker null: all messages are for handlers
   */
  InstanceLauncher(
      FleetPlan plan,
      ChaosDatabase database,
      FaultyDatabaseServer server,
      @Nullable FaultyPooler pooler,
      @Nullable FaultyBroker broker) {
    this.plan = plan;
    this.database = database;
    this.server = server;
    this.pooler = pooler;
    this.broker = broker;
  }

  /** A new way to the database. */
  FaultProxy openProxy() throws IOException {
    return FaultProxy.start(pooler == null ? server.port() : pooler.port());
  }

  /**
   * @param life its number, from 1
   * @param crash where it ends itself; empty: nowhere
   */
  Instance launch(Member member, int life, String crash, FaultProxy proxy) throws IOException {
    String name = member.name();
    InstanceSettings settings =
        new InstanceSettings(
            plan.database(),
            name + "#" + life,
            plan.directory(),
            plan.seed() + life * 1_000L + name.hashCode(),
            member.skew(),
            member.perSecond(),
            crash,
            life == 1 ? member.natures() : member.naturesOfLaterLives(),
            member.handlers(),
            plan.outages() ? plan.seed() * 1_000 : -1,
            member.operator(),
            broker == null ? "" : broker.address(),
            member.tuning());
    String url = database.urlThrough(proxy);
    return Instance.start(settings, pooler == null ? url : url + FaultyPooler.URL_OPTIONS);
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.fleet;

import io.posthorn.verification.check.Fault;
import io.posthorn.verification.database.TestedDatabase;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a fleet consists of, and what is not done to it.
 *
 * @param directory for the histories and logs
 * @param extras what there is beside the instances and the database
 * @param outages whether the destination of a handler is down now and then
 * @param waits the longest wait in milliseconds that each kind of fault may cause
 * @param without kinds of faults that are left out: time passes in their place
 */
public record FleetPlan(
    TestedDatabase database,
    Path directory,
    long seed,
    int partitions,
    List<Member> members,
    Set<Extra> extras,
    boolean outages,
    Map<Fault.Kind, Long> waits,
    Set<Fault.Kind> without) {
  /** What else is started. */
  public enum Extra {
    /** A connection pooler between all instances and the database. */
    POOLER,
    /** A broker that all messages are sent to, with consumers in all instances. */
    BROKER,
    /** That broker is RabbitMQ, not Kafka. */
    RABBITMQ,
    /** A disk of its own for all tables. */
    SMALL_DISK
  }

  boolean has(Extra extra) {
    return extras.contains(extra);
  }
}

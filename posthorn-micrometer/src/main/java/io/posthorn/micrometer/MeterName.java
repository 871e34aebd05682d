/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.micrometer;

/** The meters, as docs/metrics.md lists them. */
enum MeterName {
  PUBLISHED("posthorn.published", "Messages that were committed"),
  DELIVERED("posthorn.delivered", "Deliveries after which the message is done with"),
  PUBLISH_TO_DELIVERY("posthorn.publish.to.delivery", "Time from the writing to the delivery"),
  FAILED("posthorn.failed", "Deliveries that ended with an exception"),
  RETRIED("posthorn.retried", "Deliveries after which another one was put off for later"),
  DIED("posthorn.died", "Messages that became dead letters"),
  IGNORED("posthorn.ignored", "Messages that a handler dropped"),
  EXPIRED("posthorn.expired", "Messages that were dropped because they had expired"),
  PURGED("posthorn.purged", "Rows that were deleted because of their age"),
  BY_HAND("posthorn.by.hand", "Messages to which people did something"),
  RECOVERED("posthorn.partitions.recovered", "Partitions taken over from relays that died"),
  EXPELLED("posthorn.expelled", "How often this relay was found expelled"),
  PARTITIONS_HELD("posthorn.partitions.held", "Partitions that this relay holds"),
  LEASE_VALID("posthorn.lease.valid", "1 if this relay may start deliveries, else 0"),
  IN_MEMORY("posthorn.in.memory", "Messages that this relay has read and not yet settled"),
  LANES_BLOCKED("posthorn.lanes.blocked", "Lanes whose messages wait, as far as known here"),
  CIRCUIT_OPEN("posthorn.circuit.open", "1 if the handler's destination is down, else 0"),
  DESTINATIONS_UNAVAILABLE(
      "posthorn.destinations.unavailable", "Topics, exchanges or addresses that are unavailable"),
  READY("posthorn.ready", "Messages that are ready, up to the survey's limit"),
  DEFERRED("posthorn.deferred", "Messages that are deferred, up to the survey's limit"),
  DEAD("posthorn.dead", "Dead letters, up to the survey's limit"),
  PENDING("posthorn.pending", "Ready messages of a partition, up to the survey's limit"),
  OLDEST_AGE("posthorn.oldest.age", "How long the oldest ready message has been waiting"),
  INSTANCES("posthorn.instances", "Relays of the outbox that are alive"),
  SURVEY_AGE("posthorn.survey.age", "Time since the last survey that succeeded"),
  SURVEY_CAPPED("posthorn.survey.capped", "1 if a count of the survey ended at the limit, else 0"),
  SURVEY_FAILURES("posthorn.survey.failures", "Surveys that failed"),
  INBOX_CONSUMED("posthorn.inbox.consumed", "Messages handled for the first time"),
  INBOX_DUPLICATE("posthorn.inbox.duplicate", "Messages that had been handled before"),
  INBOX_FAILED("posthorn.inbox.failed", "Messages that were not handled"),
  INBOX_CACHE_HIT("posthorn.inbox.cache.hit", "Messages that the inbox's cache knew as handled"),
  INBOX_CACHE_MISS("posthorn.inbox.cache.miss", "Messages that the inbox's cache did not know"),
  INBOX_PURGED("posthorn.inbox.purged", "Rows of the inbox deleted because of their age");

  final String id;
  final String description;

  MeterName(String id, String description) {
    this.id = id;
    this.description = description;
  }
}

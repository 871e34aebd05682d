/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The subjects by name, in the order of the tables. */
public enum Subjects {
  LIMIT("limit", database -> new LimitSubject(database, LimitRow.FULL)),
  LIMIT_LEAN("limit-lean", database -> new LimitSubject(database, LimitRow.LEAN)),
  POSTHORN("posthorn", PosthornSubject::new),
  NAMASTACK("namastack", NamastackSubject::new),
  TRANSACTION_OUTBOX("transaction-outbox", TransactionOutboxSubject::new),
  DB_SCHEDULER("db-scheduler", DbSchedulerSubject::new),
  MODULITH("modulith", ModulithSubject::new),
  LIMIT_KAFKA(
      "limit-kafka", database -> new LimitSubject(database, LimitRow.FULL, new KafkaTopic())),
  POSTHORN_KAFKA("posthorn-kafka", database -> new PosthornSubject(database, new KafkaTopic()));

  private final String label;
  private final Function<SubjectDatabase, Subject> make;

  Subjects(String label, Function<SubjectDatabase, Subject> make) {
    this.label = label;
    this.make = make;
  }

  public String label() {
    return label;
  }

  /** What it is compared with: the same work by hand. */
  public List<Subjects> limits() {
    return this == LIMIT_KAFKA || this == POSTHORN_KAFKA
        ? List.of(LIMIT_KAFKA)
        : List.of(LIMIT, LIMIT_LEAN);
  }

  /** Whether it was written for this database. */
  public boolean runsOn(DatabaseProduct product) {
    return product == DatabaseProduct.POSTGRESQL
        || this == LIMIT
        || this == LIMIT_LEAN
        || this == POSTHORN;
  }

  public Subject on(SubjectDatabase database) {
    return make.apply(database);
  }

  public static Optional<Subjects> named(String label) {
    return Arrays.stream(values()).filter(subject -> subject.label.equals(label)).findFirst();
  }

  public static List<String> labels() {
    return Arrays.stream(values()).map(Subjects::label).toList();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import org.junit.jupiter.api.Test;

/** Loggers come from {@code LoggerSource}, so that no line is lost at the shutdown of Boot. */
class LoggersTest {
  @Test
  void onlyTheSourceOfLoggersAsksTheMachineForOne() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName("io.posthorn.spi.FoundLoggers")
        .should()
        .accessTargetWhere(target(owner(equivalentTo(System.class))).and(target(name("getLogger"))))
        .check(PublishedClasses.ALL);
  }
}

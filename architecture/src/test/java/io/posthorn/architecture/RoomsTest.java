/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

/** The rooms of the engine, as docs/architecture.md draws them. */
class RoomsTest {
  @Test
  void roomsHaveNoCycles() {
    slices()
        .matching("io.posthorn.internal.(*)..")
        .should()
        .beFreeOfCycles()
        .check(PublishedClasses.ALL);
  }

  @Test
  void theMemoryKnowsNoOtherRoom() {
    noOther("memory").check(PublishedClasses.ALL);
  }

  private static ArchRule noOther(String room) {
    return noClasses()
        .that()
        .resideInAPackage("io.posthorn.internal." + room)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.posthorn.internal",
            "io.posthorn.internal.read",
            "io.posthorn.internal.deliver",
            "io.posthorn.internal.settle",
            "io.posthorn.internal.lease",
            "io.posthorn.internal.policy",
            "io.posthorn.internal.publish",
            "io.posthorn.internal.wake",
            "io.posthorn.internal.route",
            "io.posthorn.internal.admin",
            "io.posthorn.internal.run");
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.time.Clock;
import java.util.Date;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Time is injected, as a {@code Clock} or a {@code Ticker}; only their adapters ask the machine.
 */
class TimeTest {

  private static final Set<String> SYSTEM_TIME = Set.of("currentTimeMillis", "nanoTime");

  @Test
  void onlyTheAdaptersAskTheMachineForTimeOrSleep() {
    noClasses()
        .that(describe("are not adapters of time", type -> !isAdapter(type)))
        .should()
        .accessTargetWhere(describe("time comes from the machine", TimeTest::asksTheMachine))
        .check(PublishedClasses.ALL);
  }

  private static boolean isAdapter(JavaClass type) {
    String outermost = type.getName().replaceFirst("\\$.*", "");
    return outermost.equals("io.posthorn.spi.Ticker")
        || outermost.endsWith(".SystemTicker")
        || type.getPackageName().equals("io.posthorn.internal.run");
  }

  private static boolean asksTheMachine(JavaAccess<?> access) {
    AccessTarget target = access.getTarget();
    JavaClass owner = target.getOwner();
    String name = target.getName();
    if (owner.isEquivalentTo(System.class)) {
      return SYSTEM_TIME.contains(name);
    }
    if (owner.isEquivalentTo(Thread.class) || owner.isEquivalentTo(TimeUnit.class)) {
      return name.equals("sleep");
    }
    if (owner.isEquivalentTo(Date.class)) {
      return name.equals("<init>") && parameters(target) == 0;
    }
    return owner.getPackageName().equals("java.time") && name.equals("now") && !takesClock(target);
  }

  private static boolean takesClock(AccessTarget target) {
    return target instanceof AccessTarget.CodeUnitAccessTarget code
        && code.getRawParameterTypes().stream().anyMatch(type -> type.isEquivalentTo(Clock.class));
  }

  private static int parameters(AccessTarget target) {
    return target instanceof AccessTarget.CodeUnitAccessTarget code
        ? code.getRawParameterTypes().size()
        : 0;
  }
}

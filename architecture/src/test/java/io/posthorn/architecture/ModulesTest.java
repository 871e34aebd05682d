/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static io.posthorn.architecture.PublishedClasses.CORE;
import static io.posthorn.architecture.PublishedClasses.moduleOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class ModulesTest {
  /** Put the other modules together. */
  private static final Set<String> ASSEMBLIES =
      Set.of("posthorn-spring-boot-starter", "posthorn-spring-boot-test", "posthorn-cli");

  /** The inbox is on JDBC alone, the dashboard on the admin API; all of it leads to the core. */
  private static final Map<String, Set<String>> OVER_ANOTHER_MODULE =
      Map.of(
          "posthorn-dashboard", Set.of("posthorn-admin-http"),
          "posthorn-inbox", Set.of("posthorn-jdbc"),
          "posthorn-spring", Set.of("posthorn-inbox"),
          "posthorn-micrometer", Set.of("posthorn-inbox"));

  @Test
  void everyPublishedModuleIsLookedAt() {
    Set<String> seen = new TreeSet<>();
    PublishedClasses.ALL.forEach(type -> moduleOf(type).ifPresent(seen::add));

    assertThat(seen).isEqualTo(ProjectTree.publishedModules());
  }

  @Test
  void arrowsPointOnlyToTheCore() {
    classes()
        .should(haveNo("arrow to a module other than the core", ModulesTest::missesTheCore))
        .check(PublishedClasses.ALL);
  }

  @Test
  void nobodyUsesTheInternalsOfAnotherModule() {
    classes()
        .should(haveNo("use of another module's internals", ModulesTest::reachesIntoInternals))
        .check(PublishedClasses.ALL);
  }

  @Test
  void theCoreNeedsOnlyTheJdk() {
    classes()
        .should(haveNo("way from the core out of the JDK", ModulesTest::leavesTheJdkFromTheCore))
        .check(PublishedClasses.ALL);
  }

  private static boolean missesTheCore(Dependency dependency) {
    return crossesModules(dependency)
        && !moduleOf(dependency.getOriginClass()).filter(ASSEMBLIES::contains).isPresent()
        && !moduleOf(dependency.getTargetClass()).equals(Optional.of(CORE))
        && !leadsOverAnotherModule(dependency);
  }

  private static boolean leadsOverAnotherModule(Dependency dependency) {
    Set<String> allowed =
        moduleOf(dependency.getOriginClass())
            .map(module -> OVER_ANOTHER_MODULE.getOrDefault(module, Set.of()))
            .orElse(Set.of());
    return moduleOf(dependency.getTargetClass()).filter(allowed::contains).isPresent();
  }

  private static boolean reachesIntoInternals(Dependency dependency) {
    String target = dependency.getTargetClass().getBaseComponentType().getPackageName();
    return crossesModules(dependency) && (target + ".").contains(".internal.");
  }

  private static boolean leavesTheJdkFromTheCore(Dependency dependency) {
    JavaClass target = dependency.getTargetClass().getBaseComponentType();
    boolean allowed =
        target.isPrimitive()
            || target.getPackageName().startsWith("java.")
            || target.getPackageName().startsWith("org.jspecify.")
            || moduleOf(target).equals(Optional.of(CORE));
    return moduleOf(dependency.getOriginClass()).equals(Optional.of(CORE)) && !allowed;
  }

  private static boolean crossesModules(Dependency dependency) {
    Optional<String> target = moduleOf(dependency.getTargetClass());
    return target.isPresent() && !target.equals(moduleOf(dependency.getOriginClass()));
  }

  private static ArchCondition<JavaClass> haveNo(String what, Predicate<Dependency> forbidden) {
    return new ArchCondition<>("have no " + what) {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        type.getDirectDependenciesFromSelf().stream()
            .filter(forbidden)
            .map(dependency -> SimpleConditionEvent.violated(type, dependency.getDescription()))
            .forEach(events::add);
      }
    };
  }
}

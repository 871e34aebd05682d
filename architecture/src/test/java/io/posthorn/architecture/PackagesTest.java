/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PackagesTest {

  private static final Set<String> API_PACKAGES = Set.of("io.posthorn", "io.posthorn.spi");
  private static final int MOST_PUBLIC_TYPES = 70;

  @Test
  void everyPackageIsNullMarked() {
    Set<String> marked = new TreeSet<>();
    Set<String> all = new TreeSet<>();
    for (JavaClass type : PublishedClasses.ALL) {
      all.add(type.getPackageName());
      if (type.getSimpleName().equals("package-info")
          && type.isAnnotatedWith("org.jspecify.annotations.NullMarked")) {
        marked.add(type.getPackageName());
      }
    }

    assertThat(marked).as("packages with a @NullMarked package-info.java").isEqualTo(all);
  }

  @Test
  void noPackageIsSplitOverTwoModules() {
    Map<String, TreeSet<String>> modulesByPackage =
        PublishedClasses.ALL.stream()
            .collect(
                groupingBy(
                    JavaClass::getPackageName,
                    mapping(
                        type -> PublishedClasses.moduleOf(type).orElseThrow(),
                        toCollection(TreeSet::new))));

    assertThat(modulesByPackage).allSatisfy((name, modules) -> assertThat(modules).hasSize(1));
  }

  @Test
  void theApiStaysSmall() {
    List<String> publicTypes =
        PublishedClasses.ALL.stream()
            .filter(type -> API_PACKAGES.contains(type.getPackageName()))
            .filter(JavaClass::isTopLevelClass)
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .map(JavaClass::getName)
            .sorted()
            .toList();

    assertThat(publicTypes).hasSizeBetween(1, MOST_PUBLIC_TYPES);
  }
}

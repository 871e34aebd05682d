/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The main classes of the published modules, and which module each one comes from. */
final class PublishedClasses {

  static final String CORE = "posthorn-core";

  private static final Set<String> MODULES = ProjectTree.publishedModules();

  // The places of a module: target/classes, a jar under target, a jar in the local repository.
  // So ".../posthorn-core/target/..." or ".../posthorn-core/0.1.0-SNAPSHOT/...".
  private static final Pattern MODULE_IN_LOCATION =
      Pattern.compile("/(posthorn-[a-z0-9-]+)/(?:target|[0-9][^/]*)/");

  /** Imported once for all tests. */
  static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> module(location.asURI().toString()).isPresent())
          .importPackages("io.posthorn");

  private PublishedClasses() {}

  /** The module of a class, or empty if it is not one of ours (the JDK, a library). */
  static Optional<String> moduleOf(JavaClass type) {
    return type.getBaseComponentType()
        .getSource()
        .map(Source::getUri)
        .flatMap(uri -> module(uri.toString()));
  }

  private static Optional<String> module(String location) {
    Matcher matcher = MODULE_IN_LOCATION.matcher(location);
    Optional<String> last = Optional.empty();
    while (matcher.find()) {
      last = Optional.of(matcher.group(1)).filter(MODULES::contains);
    }
    return last;
  }
}

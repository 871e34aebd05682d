/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class NamesTest {

  // "I" is a prefix only in front of a word: IOrder is refused, IdGenerator and IOFailure are not.
  private static final Pattern SAYS_NOTHING =
      Pattern.compile(".*(Manager|Helper|Utils?|Impl)|Abstract.*|I[A-Z][a-z].*");

  @Test
  void typesAreNamedAfterTheirRole() {
    List<String> offenders =
        PublishedClasses.ALL.stream()
            .filter(type -> SAYS_NOTHING.matcher(type.getSimpleName()).matches())
            .map(JavaClass::getName)
            .sorted()
            .toList();

    assertThat(offenders).isEmpty();
  }
}

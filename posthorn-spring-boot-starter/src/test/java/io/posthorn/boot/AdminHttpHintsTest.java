/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** A native image has only the files that it was told of. */
class AdminHttpHintsTest {
  private static final String PACKAGE = "io/posthorn/";

  private static List<String> found(String pattern) throws Exception {
    Resource[] files =
        new PathMatchingResourcePatternResolver().getResources("classpath*:" + PACKAGE + pattern);
    return Arrays.stream(files)
        .filter(Resource::isReadable)
        .map(AdminHttpHintsTest::path)
        .map(path -> path.substring(path.lastIndexOf(PACKAGE)))
        .toList();
  }

  private static String path(Resource file) {
    try {
      return file.getURL().getPath();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void everythingThatIsServedIsInTheImage() throws Exception {
    RuntimeHints hints = new RuntimeHints();
    new AdminHttpHints().registerHints(hints, null);

    List<String> page = found("dashboard/page/**/*.*");
    assertThat(page).contains(PACKAGE + "dashboard/page/index.html").hasSizeGreaterThan(10);
    assertThat(page).allMatch(file -> resource().forResource(file).test(hints));
    assertThat(found("admin/http/*.yaml"))
        .hasSize(1)
        .allMatch(file -> resource().forResource(file).test(hints));
  }
}

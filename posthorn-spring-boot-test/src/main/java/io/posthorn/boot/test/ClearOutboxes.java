/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot.test;

import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/** Lets each test of a class with {@link OutboxTest} begin with empty outboxes. */
final class ClearOutboxes implements TestExecutionListener, Ordered {
  /** Before the one that begins the test's transaction, which has 4,000. */
  private static final int ORDER = 3_900;

  @Override
  public int getOrder() {
    return ORDER;
  }

  @Override
  public void beforeTestMethod(TestContext test) {
    OutboxTest annotation =
        TestContextAnnotationUtils.findMergedAnnotation(test.getTestClass(), OutboxTest.class);
    if (annotation != null && annotation.clear()) {
      test.getApplicationContext().getBean(OutboxTester.class).clearAll();
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

class LimitLeanSubjectDbTest extends SubjectContract {
  @Override
  Subjects subject() {
    return Subjects.LIMIT_LEAN;
  }
}

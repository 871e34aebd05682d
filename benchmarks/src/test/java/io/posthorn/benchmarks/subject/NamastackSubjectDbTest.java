/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.subject;

class NamastackSubjectDbTest extends SubjectContract {
  @Override
  Subjects subject() {
    return Subjects.NAMASTACK;
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.util.List;

/** Finds an object itself in a list: equal ones are others. */
final class Identity {
  private Identity() {}

  /** -1 if it is not there. */
  static int indexOf(List<?> list, Object wanted) {
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i) == wanted) {
        return i;
      }
    }
    return -1;
  }
}

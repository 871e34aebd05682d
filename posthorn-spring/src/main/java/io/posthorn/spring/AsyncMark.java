/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.lang.reflect.Method;
import java.util.List;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;

/** Whether Spring runs a method on another thread, so that it returns before its work is done. */
final class AsyncMark {
  private static final List<String> ANNOTATIONS =
      List.of(
          Async.class.getName(),
          "jakarta.ejb.Asynchronous",
          "jakarta.enterprise.concurrent.Asynchronous");

  private AsyncMark() {}

  /**
   * @param beanClass whose bean it is; a superclass may have declared the method
   */
  static boolean isOn(Method method, Class<?> beanClass) {
    MergedAnnotations ofMethod = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
    MergedAnnotations ofClass = MergedAnnotations.from(beanClass, SearchStrategy.TYPE_HIERARCHY);
    return ANNOTATIONS.stream()
        .anyMatch(name -> ofMethod.isPresent(name) || ofClass.isPresent(name));
  }
}

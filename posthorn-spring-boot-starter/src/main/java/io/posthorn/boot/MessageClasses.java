/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.OutboxMessage;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/** The payload classes of an application: those that are annotated with their type. */
final class MessageClasses {
  private MessageClasses() {}

  /** The types by class, of all classes in the packages of the application. */
  static Map<Class<?>, String> below(BeanFactory beans) {
    Map<Class<?>, String> types = new HashMap<>();
    if (!AutoConfigurationPackages.has(beans)) {
      return types;
    }
    ClassPathScanningCandidateComponentProvider scanner =
        new ClassPathScanningCandidateComponentProvider(false);
    scanner.addIncludeFilter(new AnnotationTypeFilter(OutboxMessage.class));
    for (String base : AutoConfigurationPackages.get(beans)) {
      for (BeanDefinition found : scanner.findCandidateComponents(base)) {
        String name = found.getBeanClassName();
        if (name != null) {
          Class<?> type = ClassUtils.resolveClassName(name, null);
          types.put(type, type.getAnnotation(OutboxMessage.class).type());
        }
      }
    }
    return types;
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.Outbox;
import io.posthorn.PublishException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;

/**
 * Finds outboxes when they are first needed: post-processors are made too early to ask for beans.
 */
final class Outboxes {
  private final BeanFactory beans;
  private final Map<String, Outbox> found = new ConcurrentHashMap<>();

  Outboxes(BeanFactory beans) {
    this.beans = beans;
  }

  /**
   * @param name a bean's name or qualifier; empty: the only or primary one
   * @throws PublishException if there is no such outbox
   */
  Outbox get(String name) {
    Outbox outbox = found.get(name);
    if (outbox == null) {
      // Not computeIfAbsent: making the bean may come back here.
      outbox = find(name);
      found.put(name, outbox);
    }
    return outbox;
  }

  private Outbox find(String name) {
    try {
      return name.isEmpty()
          ? beans.getBean(Outbox.class)
          : BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, Outbox.class, name);
    } catch (BeansException e) {
      throw new PublishException(
          (name.isEmpty()
                  ? "No message published: there is no Outbox bean that is the only or primary one. Define one, make one of several @Primary, or name it. "
                  : "No message published: there is no Outbox bean with the name or qualifier \"%s\". Define it, or correct the name. "
                      .formatted(name))
              + e.getMessage(),
          e);
    }
  }
}

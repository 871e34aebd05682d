/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.PosthornException;
import io.posthorn.inbox.Inbox;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;

/**
 * Finds inboxes when they are first needed: post-processors are made too early to ask for beans.
 */
final class Inboxes {
  private final BeanFactory beans;
  private final Map<String, Inbox> found = new ConcurrentHashMap<>();

  Inboxes(BeanFactory beans) {
    this.beans = beans;
  }

  /**
   * @param name a bean's name or qualifier; empty: the only or primary one
   * @throws PosthornException if there is no such inbox
   */
  Inbox get(String name) {
    Inbox inbox = found.get(name);
    if (inbox == null) {
      inbox = find(name);
      found.put(name, inbox);
    }
    return inbox;
  }

  private Inbox find(String name) {
    try {
      return name.isEmpty()
          ? beans.getBean(Inbox.class)
          : BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, Inbox.class, name);
    } catch (BeansException e) {
      throw new PosthornException(
          (name.isEmpty()
                  ? "there is no Inbox bean that is the only or primary one. Define one (Spring Boot: posthorn.inbox.enabled=true), make one of several @Primary, or name it. "
                  : "there is no Inbox bean with the name or qualifier \"%s\". Define it, or correct the name. "
                      .formatted(name))
              + e.getMessage(),
          e);
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.spi.LoggerSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.TargetClassAware;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * One look at all beans of a factory. It creates none, so that a handler's bean may depend on the
 * outbox.
 */
final class HandlerScan {
  private static final Logger LOG = LoggerSource.of(HandlerScan.class.getName());

  private final ListableBeanFactory beans;
  private final List<String> problems = new ArrayList<>();
  private final Map<HandlerName, BeanHandlers.Found> byName = new LinkedHashMap<>();

  HandlerScan(ListableBeanFactory beans) {
    this.beans = beans;
    // Without eager initialisation, since that would create factory beans.
    Arrays.stream(beans.getBeanNamesForType(Object.class, true, false))
        .map(BeanFactoryUtils::transformedBeanName)
        .distinct()
        .filter(beanName -> !ScopedProxyUtils.isScopedTarget(beanName))
        .forEach(this::look);
  }

  /** All handlers without mistakes. */
  Collection<BeanHandlers.Found> found() {
    return byName.values();
  }

  List<String> problems() {
    return problems;
  }

  private void look(String beanName) {
    Class<?> beanClass = beanClass(beanName);
    if (beanClass == null
        || beanClass.getName().startsWith("org.springframework.")
        || !AnnotationUtils.isCandidateClass(beanClass, OutboxHandler.class)) {
      return;
    }
    try {
      new BeanHandlers(beans, beanName, beanClass, problems).find().forEach(this::add);
    } catch (LinkageError | TypeNotPresentException e) {
      skip(beanName, beanClass, e);
    } catch (IllegalStateException e) {
      // Spring wraps the error of a class whose methods name classes that are not there.
      if (!(e.getCause() instanceof LinkageError)) {
        throw e;
      }
      skip(beanName, beanClass, e);
    }
  }

  private static void skip(String beanName, Class<?> beanClass, Throwable reason) {
    LOG.log(
        Level.WARNING,
        "no handler was looked for in bean \"%s\": the methods of %s cannot be read"
            .formatted(beanName, beanClass.getName()),
        reason);
  }

  private void add(BeanHandlers.Found found) {
    BeanHandlers.Found other = byName.putIfAbsent(found.name(), found);
    if (other != null) {
      problems.add(
          "handler methods %s and %s both have the name \"%s\"; give each its own by @OutboxHandler(name = …)"
              .formatted(other.method(), found.method(), found.name().handler()));
    }
  }

  /** The class behind all proxies, as far as it is known now. */
  private @Nullable Class<?> beanClass(String beanName) {
    String scoped = ScopedProxyUtils.getTargetBeanName(beanName);
    String target = beans.containsBeanDefinition(scoped) ? scoped : beanName;
    Class<?> known =
        beans instanceof ConfigurableListableBeanFactory factory
            ? proxiedClass(factory, target)
            : null;
    Class<?> type = known == null ? beans.getType(target, false) : known;
    return type == null ? null : ClassUtils.getUserClass(type);
  }

  /** Null if it is not known to be proxied. */
  private static @Nullable Class<?> proxiedClass(
      ConfigurableListableBeanFactory factory, String beanName) {
    if (factory.containsSingleton(beanName)
        && factory.getSingleton(beanName) instanceof TargetClassAware proxy) {
      return AopProxyUtils.ultimateTargetClass(proxy);
    }
    // As AutoProxyUtils.determineTargetClass, which creates factory beans to learn their type.
    return factory.containsBeanDefinition(beanName)
        ? (Class<?>)
            factory
                .getMergedBeanDefinition(beanName)
                .getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE)
        : null;
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.OutboxMessage;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.ComponentScans;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * What native images must know of classes with {@link OutboxMessage}, wherever they are published:
 * codecs and expressions read them. They are looked for in the packages that the application scans
 * for components.
 */
final class MessageClassHints implements BeanFactoryInitializationAotProcessor {
  @Override
  public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
      ConfigurableListableBeanFactory beans) {
    ClassPathScanningCandidateComponentProvider scanner =
        new ClassPathScanningCandidateComponentProvider(false);
    scanner.addIncludeFilter(new AnnotationTypeFilter(OutboxMessage.class, false));
    Type[] found =
        packages(beans)
            .distinct()
            .flatMap(name -> scanner.findCandidateComponents(name).stream())
            .map(BeanDefinition::getBeanClassName)
            .flatMap(Stream::ofNullable)
            .distinct()
            .map(name -> ClassUtils.resolveClassName(name, beans.getBeanClassLoader()))
            .toArray(Type[]::new);
    return found.length == 0
        ? null
        : (generation, code) ->
            new BindingReflectionHintsRegistrar()
                .registerReflectionHints(generation.getRuntimeHints().reflection(), found);
  }

  private static Stream<String> packages(ConfigurableListableBeanFactory beans) {
    return Arrays.stream(beans.getBeanDefinitionNames())
        .flatMap(name -> Stream.ofNullable(beans.getType(name, false)))
        .map(ClassUtils::getUserClass)
        .flatMap(type -> packages(beans, type));
  }

  private static Stream<String> packages(
      ConfigurableListableBeanFactory beans, Class<?> configuration) {
    return AnnotatedElementUtils.getMergedRepeatableAnnotations(
            configuration, ComponentScan.class, ComponentScans.class)
        .stream()
        .flatMap(
            scan ->
                scan.basePackages().length + scan.basePackageClasses().length == 0
                    ? Stream.of(configuration.getPackageName())
                    : Stream.concat(
                        Arrays.stream(scan.basePackages()).flatMap(text -> names(beans, text)),
                        Arrays.stream(scan.basePackageClasses()).map(Class::getPackageName)));
  }

  private static Stream<String> names(ConfigurableListableBeanFactory beans, String text) {
    return Optional.ofNullable(beans.resolveEmbeddedValue(text)).stream()
        .flatMap(
            resolved ->
                Arrays.stream(
                    StringUtils.tokenizeToStringArray(
                        resolved, ConfigurableApplicationContext.CONFIG_LOCATION_DELIMITERS)));
  }
}

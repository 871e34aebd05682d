/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.PayloadCodec;
import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/** What Posthorn itself loads by name or calls by reflection, for native images. */
final class LibraryHints implements RuntimeHintsRegistrar {
  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    hints
        .resources()
        .registerPattern("io/posthorn/internal/version.txt")
        .registerPattern("io/posthorn/jdbc/*/*.sql")
        .registerPattern("io/posthorn/jdbc/inbox/*/*.sql")
        .registerPattern("META-INF/services/io.posthorn.spi.*");
    // Without them JPA and JTA would look absent: changes would no longer be written before
    // messages,
    // and JTA transactions would be refused.
    hints.reflection().registerTypeIfPresent(classLoader, SpringTransaction.JPA_HOLDER);
    hints.reflection().registerTypeIfPresent(classLoader, SpringTransactions.JTA_TRANSACTION);
    ReceivedMessage.classNames()
        .forEach(name -> hints.reflection().registerTypeIfPresent(classLoader, name));
    hints.reflection().registerTypeIfPresent(classLoader, BatchFailures.EXCEPTION);
    hints
        .reflection()
        .registerTypeIfPresent(
            classLoader, RabbitAcknowledgment.CHANNEL, MemberCategory.INVOKE_PUBLIC_METHODS);
    if (ClassUtils.isPresent(RabbitAcknowledgment.CHANNEL, classLoader)) {
      hints.proxies().registerJdkProxy(TypeReference.of(RabbitAcknowledgment.CHANNEL));
    }
    // The root of expressions: #root.args
    hints.reflection().registerType(MethodRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    registerCodecs(hints, classLoader);
  }

  private static void registerCodecs(RuntimeHints hints, @Nullable ClassLoader classLoader) {
    Iterator<ServiceLoader.Provider<PayloadCodec>> codecs =
        ServiceLoader.load(PayloadCodec.class, classLoader).stream().iterator();
    while (true) {
      try {
        if (!codecs.hasNext()) {
          return;
        }
        hints
            .reflection()
            .registerType(codecs.next().type(), MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
      } catch (ServiceConfigurationError | LinkageError e) {
        LoggerSource.of("io.posthorn.spring")
            .log(System.Logger.Level.DEBUG, "a payload codec cannot be used", e);
      }
    }
  }
}

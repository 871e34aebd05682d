/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Processes that create or upgrade the same tables at once: here class loaders, each of which has
 * all of Posthorn for itself, so that nothing but the database keeps them apart.
 */
abstract class ConcurrentUpgradeContract extends FreshDatabaseContract {
  private static final int PROCESSES = 3;
  private static final int ROUNDS = 2;

  /** Has Posthorn and its tests for itself, and shares all else. */
  private static final class OwnClasses extends URLClassLoader {
    OwnClasses() {
      super(classPath(), ConcurrentUpgradeContract.class.getClassLoader());
    }

    private static URL[] classPath() {
      List<URL> urls = new ArrayList<>();
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
        try {
          urls.add(Path.of(entry).toUri().toURL());
        } catch (MalformedURLException e) {
          throw new IllegalStateException(entry, e);
        }
      }
      return urls.toArray(URL[]::new);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        if (!name.startsWith("io.posthorn.jdbc.")) {
          return super.loadClass(name, resolve);
        }
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }
  }

  private Callable<?> process(OwnClasses classes, boolean next, String prefix) throws Exception {
    return (Callable<?>)
        classes
            .loadClass(SchemaProcess.class.getName())
            .getConstructor(String.class, String.class, boolean.class, String.class)
            .newInstance(database().url(), database().dialect().name(), next, prefix);
  }

  private void atOnce(boolean next, String prefix) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(PROCESSES);
    List<OwnClasses> loaders = new ArrayList<>();
    try {
      List<Callable<?>> processes = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        loaders.add(new OwnClasses());
        processes.add(process(loaders.get(i), next, prefix));
      }
      List<Future<?>> running = new ArrayList<>();
      processes.forEach(process -> running.add(threads.submit(process)));
      for (Future<?> each : running) {
        each.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
      for (OwnClasses loader : loaders) {
        loader.close();
      }
    }
  }

  @Test
  void theyAgreeOnTablesThatAreThereOnce() throws Exception {
    creating().tablePrefix("alone_").build().open();
    for (int round = 0; round < ROUNDS; round++) {
      String prefix = "round" + round + "_";
      atOnce(false, prefix);
      assertThat(TableShapes.read(database().dataSource(), prefix))
          .isEqualTo(TableShapes.read(database().dataSource(), "alone_"));
      atOnce(true, prefix);

      assertThat(database().number("SELECT max(version) FROM " + prefix + "schema")).isEqualTo(2);
      assertThat(database().number("SELECT count(*) FROM " + prefix + "partition")).isEqualTo(64);
      assertThat(finding().tablePrefix(prefix).build().open()).isEqualTo(64);
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.broken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The changes can be made to the present classes. Whether they are found, bin/chaos says. */
class BrokenEngineTest {

  /** Has classes of its own, changed or not: a sealed type and its kinds must be of one loader. */
  private static final class Loader extends ClassLoader {
    private final Map<String, byte[]> changed;

    Loader(Map<String, byte[]> changed) {
      super(BrokenEngineTest.class.getClassLoader());
      this.changed = changed;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null || !name.startsWith("io.posthorn.")) {
        return loaded == null ? super.loadClass(name, resolve) : loaded;
      }
      byte[] file = changed.containsKey(name) ? changed.get(name) : unchanged(name);
      return defineClass(name, file, 0, file.length);
    }

    private byte[] unchanged(String name) throws ClassNotFoundException {
      try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
        return file.readAllBytes();
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(BrokenEngine.class)
  void changesFitThePresentClasses(BrokenEngine broken) throws ClassNotFoundException {
    Map<String, byte[]> files = ClassChange.files(broken.changes());
    Loader loader = new Loader(files);
    for (String type : files.keySet()) {
      Class<?> verified = Class.forName(type, true, loader);
      assertThat(verified.getClassLoader()).isSameAs(loader);
    }
  }

  @Test
  void eachPromiseIsBrokenInThreeWaysAtLeast() {
    Map<Integer, Long> ways =
        Arrays.stream(BrokenEngine.values())
            .collect(Collectors.groupingBy(BrokenEngine::promise, Collectors.counting()));
    assertThat(IntStream.rangeClosed(1, 9).boxed()).allMatch(it -> ways.getOrDefault(it, 0L) >= 3);
  }

  @Test
  void aMethodOrTextThatIsNotThereIsNoticed() {
    String type = "io.posthorn.internal.memory.Lane";
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClassChange.files(List.of(ClassChange.empties(type, "missing"))))
        .withMessageContaining("has no method \"missing\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClassChange.files(List.of(ClassChange.rewrites(type, "missing", "x"))))
        .withMessageContaining("nothing of what is to be changed");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClassChange.files(List.of(ClassChange.omits(type, "insert", "missing"))))
        .withMessageContaining("nothing of what is to be changed");
  }
}

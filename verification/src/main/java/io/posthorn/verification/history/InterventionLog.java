/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import io.posthorn.verification.history.Intervention.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What the operators of one process do, noted before and after. Safe to share between threads. */
public final class InterventionLog {
  private static final String ASKED = "asked";
  private static final String NONE = "-";
  private static final int ASKED_WORDS = 7;
  private static final int RESULT_FROM = 3;

  private final LogFile file;
  private final AtomicLong numbers = new AtomicLong();

  public InterventionLog(Path path) throws IOException {
    this.file = new LogFile(path);
  }

  /** Notes an action, does it, and notes what came of it. */
  public <T> T note(Intervention.Kind kind, Target target, Callable<T> action) throws Exception {
    return note(kind, List.of(target), action);
  }

  /** The same of one that may concern several. */
  public <T> T note(Intervention.Kind kind, List<Target> targets, Callable<T> action)
      throws Exception {
    List<Long> asked = new ArrayList<>();
    for (Target target : targets) {
      asked.add(asked(kind, target));
    }
    String result = "died";
    try {
      T answer = action.call();
      result = String.valueOf(answer);
      return answer;
    } catch (Exception e) {
      result = e.toString();
      throw e;
    } finally {
      for (long number : asked) {
        file.write(
            "ended %d %d %s\n"
                .formatted(number, System.currentTimeMillis(), result.replace('\n', ' ')));
      }
    }
  }

  private long asked(Intervention.Kind kind, Target target) {
    long number = numbers.incrementAndGet();
    file.write(
        "%s %d %d %s %s %s %s\n"
            .formatted(
                ASKED,
                number,
                System.currentTimeMillis(),
                kind,
                target.handler(),
                orNone(target.key()),
                orNone(target.id())));
    return number;
  }

  private static String orNone(@Nullable Object value) {
    return value == null ? NONE : value.toString();
  }

  /** Takes the lines of one process. */
  static List<Intervention> parse(String life, List<String> lines) {
    Map<Long, Intervention> found = new LinkedHashMap<>();
    for (String line : lines) {
      String[] words = line.split(" ", -1);
      long number = Long.parseLong(words[1]);
      long millis = Long.parseLong(words[2]);
      if (words[0].equals(ASKED) && words.length == ASKED_WORDS) {
        found.put(number, asked(life, millis, words));
      } else {
        String result = String.join(" ", List.of(words).subList(RESULT_FROM, words.length));
        found.computeIfPresent(number, (any, before) -> before.ended(millis, result));
      }
    }
    return List.copyOf(found.values());
  }

  private static Intervention asked(String life, long millis, String[] words) {
    Target target =
        new Target(
            words[4],
            words[5].equals(NONE) ? null : words[5],
            words[6].equals(NONE) ? null : UUID.fromString(words[6]));
    return new Intervention(
        Intervention.Kind.valueOf(words[3]), life, target, millis, Long.MAX_VALUE, "nobody knows");
  }
}

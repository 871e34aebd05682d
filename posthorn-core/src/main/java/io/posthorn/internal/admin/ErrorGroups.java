/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.admin;

import io.posthorn.Admin.DeadLetter;
import io.posthorn.DeadLetters.Group;
import io.posthorn.DeadLetters.Groups;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Dead letters by what they died of. */
final class ErrorGroups {
  private static final int LONGEST_ERROR = 300;

  private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"|'[^']*'");

  /** Words of hex digits and dashes with a decimal digit among them: numbers, ids and hashes. */
  private static final Pattern NUMBER =
      Pattern.compile("\\b(?=[0-9a-fA-F-]*[0-9])[0-9a-fA-F]+(?:-[0-9a-fA-F]+)*\\b|[0-9]+");

  private ErrorGroups() {}

  private record Cause(String handler, String error) {}

  /**
   * @param latest one more than the limit if there are more
   */
  static Groups of(List<DeadLetter> latest, int limit) {
    List<DeadLetter> examined = latest.subList(0, Math.min(limit, latest.size()));
    Map<Cause, Group> groups = new LinkedHashMap<>();
    for (DeadLetter letter : examined) {
      Cause cause = new Cause(letter.handler(), inCommon(letter.error()));
      groups.merge(cause, new Group(cause.handler, cause.error, 1, letter), ErrorGroups::together);
    }
    return new Groups(
        groups.values().stream()
            .sorted(Comparator.comparingInt(Group::letters).reversed())
            .toList(),
        examined.size(),
        latest.size() <= limit);
  }

  private static Group together(Group some, Group more) {
    boolean newer = more.newest().diedAt().isAfter(some.newest().diedAt());
    return new Group(
        some.handler(),
        some.error(),
        some.letters() + more.letters(),
        newer ? more.newest() : some.newest());
  }

  /** An error without what differs from message to message. */
  static String inCommon(String error) {
    String line = error.lines().findFirst().orElse("");
    String start = line.substring(0, Math.min(LONGEST_ERROR, line.length()));
    return NUMBER.matcher(QUOTED.matcher(start).replaceAll("\"…\"")).replaceAll("#");
  }
}

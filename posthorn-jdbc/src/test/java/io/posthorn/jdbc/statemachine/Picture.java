/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What docs/state-machine.md says: the moves of its picture and those of its table. A move of a
 * state that has others within is one of each of them.
 */
final class Picture {
  private static final Pattern ARROW = Pattern.compile("(\\w+) --> (\\w+) : .+");
  private static final Pattern OPENS = Pattern.compile("state (\\w+) \\{");
  private static final Pattern NAMED = Pattern.compile("(\\w+) : .+");
  private static final Pattern IGNORED = Pattern.compile("stateDiagram-v2|direction \\w+|");
  private static final String TABLE_HEAD = "| from | to | when | done by |";

  private final Map<String, Set<State>> within = new HashMap<>();
  private final Set<State> states = new TreeSet<>();
  private final Set<Move> drawn = new TreeSet<>();
  private final Set<Move> listed = new TreeSet<>();
  private final String text;

  private Picture(String text) {
    this.text = text;
  }

  /** Finds the document above the directory of this module. */
  static Picture read() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("docs/state-machine.md"))) {
      root = root.getParent();
    }
    return parse(Files.readString(root.resolve("docs/state-machine.md")));
  }

  static Picture parse(String text) {
    Picture picture = new Picture(text);
    picture.draw(text);
    picture.list(text);
    return picture;
  }

  /** States that the picture names. */
  Set<State> states() {
    return states;
  }

  /** Moves of the picture. */
  Set<Move> drawn() {
    return drawn;
  }

  /** Moves of the table. */
  Set<Move> listed() {
    return listed;
  }

  String text() {
    return text;
  }

  private void draw(String text) {
    String[] blocks = text.split("```mermaid\n", -1);
    if (blocks.length != 2) {
      throw new AssertionError("there must be one picture, but there are " + (blocks.length - 1));
    }
    List<Matcher> arrows = new ArrayList<>();
    String outer = null;
    for (String raw : blocks[1].substring(0, blocks[1].indexOf("```")).split("\n", -1)) {
      String line = raw.strip();
      Matcher arrow = ARROW.matcher(line);
      Matcher opens = OPENS.matcher(line);
      Matcher named = NAMED.matcher(line);
      if (arrow.matches()) {
        arrows.add(arrow);
      } else if (opens.matches()) {
        outer = opens.group(1);
        within.put(outer, new LinkedHashSet<>());
      } else if (line.equals("}")) {
        outer = null;
      } else if (named.matches()) {
        name(named.group(1), outer);
      } else if (!IGNORED.matcher(line).matches()) {
        throw new AssertionError("a line of the picture is not understood: " + line);
      }
    }
    arrows.forEach(arrow -> add(drawn, arrow.group(1), arrow.group(2)));
  }

  private void name(String name, String outer) {
    State state = State.valueOf(name);
    states.add(state);
    if (outer != null) {
      within.get(outer).add(state);
    }
  }

  private void list(String text) {
    int begin = text.indexOf(TABLE_HEAD);
    if (begin < 0) {
      throw new AssertionError("there is no table with the head " + TABLE_HEAD);
    }
    for (String line : text.substring(begin).split("\n", -1)) {
      if (!line.startsWith("|")) {
        return;
      }
      String[] cells = line.split("\\|", -1);
      if (!line.equals(TABLE_HEAD) && !line.startsWith("|---")) {
        for (String from : cells[1].strip().split(", ", -1)) {
          for (String to : cells[2].strip().split(", ", -1)) {
            add(listed, from, to);
          }
        }
      }
    }
  }

  private void add(Set<Move> moves, String from, String to) {
    Set<State> each = within.containsKey(from) ? within.get(from) : Set.of(State.valueOf(from));
    for (State state : each) {
      if (!moves.add(new Move(state, State.valueOf(to)))) {
        throw new AssertionError(new Move(state, State.valueOf(to)) + " is there twice");
      }
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.config;

import io.posthorn.ConfigurationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * A group of settings. Reading a setting never throws: what is wrong is noted and reported by
 * {@link #end}, together with settings that nobody has asked for. For one thread.
 */
public final class Section {
  private final String path;
  private final MappingNode node;
  private final Scalars scalars;
  private final Problems problems;
  private final Map<String, Node> values = new LinkedHashMap<>();
  private final Map<String, Node> names = new LinkedHashMap<>();
  private final Set<String> asked = new LinkedHashSet<>();
  private final List<Section> inner = new ArrayList<>();

  /** Makes a value of a text; empty, and a problem noted, if it is none. */
  @FunctionalInterface
  private interface Conversion<T> {
    Optional<T> of(String path, ScalarNode node, String text);
  }

  Section(String path, MappingNode node, Scalars scalars, Problems problems) {
    this.path = path;
    this.node = node;
    this.scalars = scalars;
    this.problems = problems;
    for (NodeTuple tuple : node.getValue()) {
      if (tuple.getKeyNode() instanceof ScalarNode name) {
        values.put(name.getValue(), tuple.getValueNode());
        names.put(name.getValue(), name);
      } else {
        problems.add(tuple.getKeyNode(), "the name of a setting must be a text");
      }
    }
  }

  private String pathOf(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  /** The names of all that is set. */
  public Set<String> keys() {
    return values.keySet();
  }

  public boolean has(String key) {
    asked.add(key);
    return values.containsKey(key);
  }

  /** Notes something that is wrong with a setting, or with the section if it is not set. */
  public void problem(String key, String text) {
    Node where = values.get(key);
    problems.add(where == null ? node : where, pathOf(key) + " " + text);
  }

  private @Nullable Node value(String key) {
    asked.add(key);
    return values.get(key);
  }

  private <T> Optional<T> scalar(String key, Conversion<T> conversion) {
    return Optional.ofNullable(value(key)).flatMap(found -> scalar(pathOf(key), found, conversion));
  }

  private <T> Optional<T> scalar(String where, Node found, Conversion<T> conversion) {
    if (found instanceof ScalarNode scalar) {
      String text = scalars.text(where, scalar);
      return text.isEmpty() && Scalars.hasVariable(scalar)
          ? Optional.empty() // a problem already, or set to nothing
          : conversion.of(where, scalar, text);
    }
    problems.add(found, where + " must be a single value");
    return Optional.empty();
  }

  private static Optional<String> asItIs(String path, ScalarNode node, String text) {
    return Optional.of(text);
  }

  public Optional<String> text(String key) {
    return scalar(key, Section::asItIs);
  }

  /** A text that must be there; if it is not, a problem is noted, and it is empty. */
  public String neededText(String key, String example) {
    if (!has(key)) {
      problem(key, "is not set; for example: " + example);
    }
    return text(key).orElse("");
  }

  /** A text that must come from the environment. */
  public Optional<String> secret(String key) {
    Node found = value(key);
    if (found instanceof ScalarNode scalar) {
      checkSecret(pathOf(key), scalar);
    }
    return text(key);
  }

  private void checkSecret(String where, ScalarNode scalar) {
    if (!Scalars.hasVariable(scalar)) {
      problems.add(
          scalar,
          where + " must not be in the file; write ${NAME} and set that in the environment");
    }
  }

  public Optional<Duration> duration(String key) {
    return scalar(key, scalars::duration);
  }

  /** A size, in bytes. */
  public Optional<Long> bytes(String key) {
    return scalar(key, scalars::bytes);
  }

  public Optional<Integer> integer(String key) {
    return scalar(key, scalars::integer);
  }

  public Optional<Double> number(String key) {
    return scalar(key, scalars::number);
  }

  public Optional<Boolean> bool(String key) {
    return scalar(key, scalars::bool);
  }

  /** One text, or a list of texts. */
  public List<String> texts(String key) {
    return texts(key, false);
  }

  /** The same, each from the environment. */
  public List<String> secrets(String key) {
    return texts(key, true);
  }

  private List<String> texts(String key, boolean secret) {
    Node found = value(key);
    if (found == null) {
      return List.of();
    }
    List<Node> items = found instanceof SequenceNode list ? list.getValue() : List.of(found);
    List<String> texts = new ArrayList<>();
    for (Node item : items) {
      if (secret && item instanceof ScalarNode scalar) {
        checkSecret(pathOf(key), scalar);
      }
      scalar(pathOf(key), item, Section::asItIs).ifPresent(texts::add);
    }
    return texts;
  }

  /** Texts by names that are free. */
  public Map<String, String> textsByName(String key) {
    Map<String, String> texts = new LinkedHashMap<>();
    section(key)
        .ifPresent(
            section ->
                section
                    .keys()
                    .forEach(name -> section.text(name).ifPresent(text -> texts.put(name, text))));
    return texts;
  }

  public Optional<Section> section(String key) {
    return Optional.ofNullable(value(key)).flatMap(found -> section(pathOf(key), found));
  }

  private Optional<Section> section(String where, Node found) {
    if (found instanceof MappingNode mapping) {
      Section section = new Section(where, mapping, scalars, problems);
      inner.add(section);
      return Optional.of(section);
    }
    problems.add(found, where + " must have settings below it, as in \"key: value\"");
    return Optional.empty();
  }

  /** A list of groups of settings. */
  public List<Section> sections(String key) {
    Node found = value(key);
    List<Section> sections = new ArrayList<>();
    if (found instanceof SequenceNode list) {
      for (int i = 0; i < list.getValue().size(); i++) {
        section("%s[%d]".formatted(pathOf(key), i), list.getValue().get(i))
            .ifPresent(sections::add);
      }
    } else if (found != null) {
      problems.add(found, pathOf(key) + " must be a list: each entry begins with \"- \"");
    }
    return sections;
  }

  /**
   * Nothing more is read.
   *
   * @throws ConfigurationException naming every problem, by line
   */
  public void end() {
    noteUnknown();
    problems.report();
  }

  private void noteUnknown() {
    for (Map.Entry<String, Node> name : names.entrySet()) {
      if (!asked.contains(name.getKey())) {
        problems.add(
            name.getValue(),
            "%s is unknown; %s"
                .formatted(pathOf(name.getKey()), Similar.hint(name.getKey(), asked)));
      }
    }
    inner.forEach(Section::noteUnknown);
  }
}

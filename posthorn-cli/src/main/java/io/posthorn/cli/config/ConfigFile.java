/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.config;

import io.posthorn.ConfigurationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Reads a YAML file whose values may name environment variables: {@code ${NAME}}. */
public final class ConfigFile {
  private static final int MAX_BYTES = 1024 * 1024;

  private ConfigFile() {}

  /**
   * The settings of a file. What is wrong with them is found when they are read, and reported by
   * {@link Section#end}.
   *
   * @param environment gives the value of a variable, or null
   * @throws ConfigurationException if it can't be read, or is no YAML
   */
  public static Section read(Path file, UnaryOperator<String> environment) {
    return parse(file.toString(), text(file), environment);
  }

  private static String text(Path file) {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw problem("%s is larger than 1 MiB; is it the right file?".formatted(file));
      }
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw problem(
          "%s can't be read (%s); give the file by --config"
              .formatted(file, e.getClass().getSimpleName()));
    }
  }

  /**
   * The settings of a text.
   *
   * @param name of the file, for what is said about it
   * @param environment gives the value of a variable, or null
   * @throws ConfigurationException if it is no YAML
   */
  public static Section parse(String name, String text, UnaryOperator<String> environment) {
    Problems problems = new Problems(name);
    Node root = compose(name, text);
    if (root == null || root.getTag().equals(Tag.NULL)) {
      throw problem("%s is empty; docs/standalone-relay.md has an example".formatted(name));
    }
    if (!(root instanceof MappingNode mapping)) {
      throw problem("%s, line 1: must consist of settings, as in \"key: value\"".formatted(name));
    }
    return new Section("", mapping, new Scalars(problems, environment), problems);
  }

  private static @Nullable Node compose(String name, String text) {
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(name)
            .setAllowDuplicateKeys(false)
            .setMaxAliasesForCollections(20)
            .build();
    try {
      return new Compose(settings).composeString(text).orElse(null);
    } catch (MarkedYamlEngineException e) {
      Optional<Mark> mark = e.getProblemMark();
      String place = mark.map(at -> ", line " + (at.getLine() + 1)).orElse("");
      throw problem("%s%s: is no YAML: %s".formatted(name, place, e.getProblem()));
    } catch (YamlEngineException e) {
      throw problem("%s is no YAML: %s".formatted(name, e.getMessage()));
    }
  }

  private static ConfigurationException problem(String text) {
    return new ConfigurationException(List.of(text));
  }
}

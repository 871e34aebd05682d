/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.StringUtils;

/**
 * Finds what is wrong with an expression without evaluating it: its syntax, variables that nobody
 * sets (SpEL takes them for null), and first properties that a class does not have.
 */
final class SpelCheck {
  static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final Set<String> ALWAYS = Set.of("this", "root");

  private final Class<?> root;
  private final Map<String, Class<?>> variables;

  /**
   * @param root the very class of the root object
   * @param variables the declared type of each
   */
  SpelCheck(Class<?> root, Map<String, Class<?>> variables) {
    this.root = root;
    this.variables = variables;
  }

  /** What is wrong, as the rest of a sentence about the expression. */
  Optional<String> flawOf(String expression) {
    SpelNode tree;
    try {
      tree = PARSER.parseRaw(expression).getAST();
    } catch (ParseException | IllegalStateException | IllegalArgumentException e) {
      return Optional.of("cannot be parsed: " + e.getMessage());
    }
    return unknownVariable(tree).or(() -> unknownProperty(tree));
  }

  private Optional<String> unknownVariable(SpelNode node) {
    if (node instanceof VariableReference && !isKnown(variableName(node))) {
      Set<String> known = new TreeSet<>();
      Stream.concat(ALWAYS.stream(), variables.keySet().stream())
          .forEach(name -> known.add("#" + name));
      return Optional.of(
          "names #%s; known are %s".formatted(variableName(node), String.join(", ", known)));
    }
    return children(node).map(this::unknownVariable).flatMap(Optional::stream).findFirst();
  }

  private boolean isKnown(String variable) {
    return ALWAYS.contains(variable) || variables.containsKey(variable);
  }

  private Optional<String> unknownProperty(SpelNode node) {
    if (node instanceof PropertyOrFieldReference property) {
      return missing(root, true, property);
    }
    if (node instanceof CompoundExpression) {
      return unknownPropertyOfPath(node.getChild(0), node.getChild(1));
    }
    // In other nodes a property may be one of another object: a projection's, for example.
    return node instanceof Operator || node instanceof Ternary || node instanceof Elvis
        ? children(node).map(this::unknownProperty).flatMap(Optional::stream).findFirst()
        : Optional.empty();
  }

  private Optional<String> unknownPropertyOfPath(SpelNode head, SpelNode next) {
    if (head instanceof PropertyOrFieldReference property) {
      return missing(root, true, property);
    }
    if (!(head instanceof VariableReference)
        || !(next instanceof PropertyOrFieldReference property)) {
      return Optional.empty();
    }
    String variable = variableName(head);
    Class<?> declared = variables.get(variable);
    return declared == null
        ? missing(root, true, property)
        : missing(declared, Modifier.isFinal(declared.getModifiers()), property);
  }

  /**
   * @param exact whether the object is of this very class: a subclass may have what it lacks
   */
  private static Optional<String> missing(
      Class<?> type, boolean exact, PropertyOrFieldReference property) {
    return !exact || hasProperty(type, property.getName())
        ? Optional.empty()
        : Optional.of(
            "asks for the property \"%s\", which %s does not have"
                .formatted(property.getName(), describe(type)));
  }

  private static String describe(Class<?> type) {
    return type == MethodRoot.class ? "the call (target, method, args)" : type.getName();
  }

  private static boolean hasProperty(Class<?> type, String name) {
    if (type.isArray() || type.isPrimitive() || Map.class.isAssignableFrom(type)) {
      return true; // SpEL has ways of its own for these
    }
    Set<String> accessors =
        Set.of(name, "get" + StringUtils.capitalize(name), "is" + StringUtils.capitalize(name));
    return Arrays.stream(type.getMethods())
            .anyMatch(
                method -> method.getParameterCount() == 0 && accessors.contains(method.getName()))
        || Arrays.stream(type.getFields()).anyMatch(field -> field.getName().equals(name));
  }

  private static Stream<SpelNode> children(SpelNode node) {
    return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild);
  }

  private static String variableName(SpelNode variable) {
    return variable.toStringAST().substring(1);
  }
}

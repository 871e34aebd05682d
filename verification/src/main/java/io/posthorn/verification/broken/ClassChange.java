/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.broken;

import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.implementation.StubMethod;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;

/**
 * A change of one class. It can be made only as long as the class has the methods, calls and texts
 * that it is about.
 *
 * <p>Methods are meant by their names, of which there may be several, or by name and number of
 * parameters, as in {@code close/2}.
 *
 * @param type the name of the class
 */
record ClassChange(String type, Way way) {
  static final String CONSTRUCTORS = "<init>";

  /** How the byte code is changed. */
  @FunctionalInterface
  interface Way {
    DynamicType.Builder<?> apply(DynamicType.Builder<?> builder, TypeDescription type);
  }

  /** Methods of this name return this at once. */
  static ClassChange returns(String type, String method, boolean value) {
    return new ClassChange(
        type,
        (builder, described) ->
            builder.method(declared(described, method)).intercept(FixedValue.value(value)));
  }

  /** Methods of this name do nothing, and return null, zero or false. */
  static ClassChange empties(String type, String method) {
    return new ClassChange(
        type,
        (builder, described) ->
            builder.method(declared(described, method)).intercept(StubMethod.INSTANCE));
  }

  /** A method calls another one no more, and takes null, zero or false for its result. */
  static ClassChange omits(String type, String method, String called) {
    return new ClassChange(
        type,
        (builder, described) ->
            builder.visit(
                MemberSubstitution.strict()
                    .method(named(called))
                    .stub()
                    .on(declared(described, method))));
  }

  /** The code of the advice becomes a part of methods of this name. */
  static ClassChange advises(String type, String method, Class<?> advice) {
    return new ClassChange(
        type,
        (builder, described) -> builder.visit(Advice.to(advice).on(declared(described, method))));
  }

  /** A part of the class's texts is another one. */
  static ClassChange rewrites(String type, String text, String instead) {
    return new ClassChange(type, (builder, described) -> builder.visit(rewriting(text, instead)));
  }

  private static ElementMatcher.Junction<MethodDescription> declared(
      TypeDescription type, String method) {
    int arity = method.indexOf('/');
    String name = arity < 0 ? method : method.substring(0, arity);
    ElementMatcher.Junction<MethodDescription> wanted =
        name.equals(CONSTRUCTORS) ? isConstructor() : named(name);
    if (arity >= 0) {
      wanted = wanted.and(takesArguments(Integer.parseInt(method.substring(arity + 1))));
    }
    if (type.getDeclaredMethods().filter(wanted).isEmpty()) {
      throw new IllegalArgumentException(type.getName() + " has no method \"" + method + "\"");
    }
    return wanted;
  }

  private static AsmVisitorWrapper rewriting(String text, String instead) {
    return new AsmVisitorWrapper.ForDeclaredMethods()
        .invokable(
            any -> true,
            (type, method, visitor, context, pool, writerFlags, readerFlags) ->
                new MethodVisitor(Opcodes.ASM9, visitor) {
                  @Override
                  public void visitLdcInsn(Object value) {
                    super.visitLdcInsn(
                        value instanceof String found ? found.replace(text, instead) : value);
                  }
                });
  }

  /**
   * The class files as they are then, by the names of the classes.
   *
   * @throws IllegalArgumentException if there is nothing to change
   */
  static Map<String, byte[]> files(List<ClassChange> changes) {
    ClassFileLocator files = ClassFileLocator.ForClassLoader.of(ClassChange.class.getClassLoader());
    Map<String, DynamicType.Builder<?>> builders = new TreeMap<>();
    for (ClassChange change : changes) {
      TypeDescription described =
          TypePool.Default.of(ClassChange.class.getClassLoader()).describe(change.type).resolve();
      DynamicType.Builder<?> unchanged = new ByteBuddy().redefine(described, files);
      byte[] alone = change.way.apply(unchanged, described).make().getBytes();
      if (Arrays.equals(unchanged.make().getBytes(), alone)) {
        throw new IllegalArgumentException(change.type + " has nothing of what is to be changed");
      }
      builders.merge(
          change.type,
          change.way.apply(unchanged, described),
          (other, any) -> change.way.apply(other, described));
    }
    Map<String, byte[]> changed = new TreeMap<>();
    builders.forEach((type, builder) -> changed.put(type, builder.make().getBytes()));
    return changed;
  }
}

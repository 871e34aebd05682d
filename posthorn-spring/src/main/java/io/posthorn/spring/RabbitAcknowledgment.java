/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** The stand-in for a channel of RabbitMQ, by which a listener acknowledges and refuses. */
final class RabbitAcknowledgment implements ListenerAcknowledgment, InvocationHandler {
  static final String CHANNEL = "com.rabbitmq.client.Channel";

  private static final Set<String> REFUSALS = Set.of("basicNack", "basicReject");

  private final Object channel;
  private final int parameter;
  private final Class<?> type;
  private final ToLongFunction<Object> tags;
  private final List<Call> calls = new ArrayList<>();
  private volatile boolean ended;

  private record Call(Method method, List<Object> arguments) {
    boolean isRefusal() {
      return REFUSALS.contains(method.getName());
    }

    /** Refusals and acknowledgments may be of all messages up to one. */
    boolean concerns(long tag) {
      long last = (Long) arguments.get(0);
      boolean upTo = !method.getName().equals("basicReject") && (Boolean) arguments.get(1);
      return tag == last || (upTo && tag < last);
    }
  }

  /**
   * @param type the channel's interface
   * @param tags of messages
   */
  RabbitAcknowledgment(Object channel, int parameter, Class<?> type, ToLongFunction<Object> tags) {
    this.channel = channel;
    this.parameter = parameter;
    this.type = type;
    this.tags = tags;
  }

  @Override
  public boolean reject(Object message) {
    call("basicReject", tags.applyAsLong(message), false);
    return true;
  }

  @Override
  public Object[] in(Object[] arguments) {
    arguments[parameter] =
        Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this);
    return arguments;
  }

  @Override
  public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments)
      throws Throwable {
    Object[] given = arguments == null ? new Object[0] : arguments;
    if (!ended && (method.getName().equals("basicAck") || REFUSALS.contains(method.getName()))) {
      calls.add(new Call(method, List.of(given)));
      return null;
    }
    try {
      return method.invoke(channel, given);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  @Override
  public boolean isRefused() {
    return calls.stream().anyMatch(Call::isRefusal);
  }

  @Override
  public void forget() {
    calls.clear();
  }

  /** Those that were passed over come first: later they may have been acknowledged with others. */
  @Override
  public void tell(List<?> received, List<?> handed) {
    ended = true;
    for (Object message : received) {
      if (Identity.indexOf(handed, message) < 0) {
        call("basicAck", tags.applyAsLong(message), false);
      }
    }
    calls.forEach(this::perform);
  }

  @Override
  public Refusal refusal() {
    Refusals refusals = new Refusals(calls.stream().filter(Call::isRefusal).toList());
    forget();
    return refusals;
  }

  /**
   * What the listener acknowledged beside a refused message was rolled back: it shall come again.
   */
  private final class Refusals implements Refusal {
    private final List<Call> refusals;

    Refusals(List<Call> refusals) {
      this.refusals = refusals;
    }

    @Override
    public int from() {
      return 0;
    }

    @Override
    public void tell(List<?> received, int first) {
      ended = true;
      for (Object message : received) {
        long tag = tags.applyAsLong(message);
        if (refusals.stream().noneMatch(refusal -> refusal.concerns(tag))) {
          call("basicNack", tag, false, true);
        }
      }
      refusals.forEach(RabbitAcknowledgment.this::perform);
    }
  }

  private void perform(Call call) {
    call(call.method, call.arguments.toArray());
  }

  private void call(String name, Object... arguments) {
    Class<?>[] types = {long.class, boolean.class, boolean.class};
    Method method = ReflectionUtils.findMethod(type, name, Arrays.copyOf(types, arguments.length));
    call(requireNonNull(method, name), arguments);
  }

  private void call(Method method, Object[] arguments) {
    try {
      method.invoke(channel, arguments);
    } catch (InvocationTargetException e) {
      throw new UndeclaredThrowableException(e.getTargetException());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}

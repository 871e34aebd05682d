/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static java.lang.System.Logger.Level.WARNING;

import io.posthorn.spi.LoggerSource;
import io.posthorn.spring.ListenerAcknowledgment.Refusal;
import java.util.ArrayList;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * The outer end of {@link OnceOnly}, around the transaction of the method, where it is known what
 * was committed: what a listener's container may acknowledge is exactly that.
 *
 * <p>If a message in the middle of a batch fails or is refused, a container commits those before
 * it; but the transaction has taken these back too. So the method is called again with only them,
 * in a transaction of their own, and then the container is told, with the message's place in the
 * list that the container knows. If the process dies between the two, the batch comes again as a
 * whole, and those messages are passed over.
 */
final class OnceBoundary implements MethodInterceptor {
  private static final System.Logger LOG = LoggerSource.of(OnceBoundary.class.getName());

  private final OnceMethods methods;

  OnceBoundary(OnceMethods methods) {
    this.methods = methods;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    OnceMethod method = methods.of(invocation);
    Call call =
        new Call(
            (ProxyMethodInvocation) invocation,
            method,
            method.acknowledgment(invocation.getArguments()),
            methods.inbox(method).joinsTransaction());
    return method.batch() ? each(call) : one(call);
  }

  /**
   * One call by a container, or by whoever else has messages.
   *
   * @param inTransaction of the caller's: nothing is committed when the call returns
   */
  private record Call(
      ProxyMethodInvocation invocation,
      OnceMethod method,
      ListenerAcknowledgment acknowledgment,
      boolean inTransaction) {

    Object received() {
      return method.message(invocation);
    }

    /** As soon as what was handled is committed. */
    void tell(List<?> received, List<?> handed) {
      if (inTransaction && acknowledgment != ListenerAcknowledgment.NONE) {
        CallersCommit.then(() -> acknowledgment.tell(received, handed));
      } else {
        acknowledgment.tell(received, handed);
      }
    }

    @Nullable Object run(Object messages, OncePass pass) throws Throwable {
      Object[] arguments = invocation.getArguments().clone();
      arguments[method.parameter()] = messages;
      return pass.run(invocation, acknowledgment.in(arguments));
    }
  }

  private @Nullable Object one(Call call) throws Throwable {
    RuntimeException problem = methods.problemWithId(call.method, call.received());
    if (problem != null) {
      return rejectOrThrow(call, call.received(), problem);
    }
    OncePass pass = new OncePass(call.acknowledgment);
    List<Object> received = List.of(call.received());
    Object result;
    try {
      result = call.run(call.received(), pass);
    } catch (RefusedByListenerException e) {
      call.acknowledgment.refusal().tell(received, 0);
      return null;
    }
    call.tell(received, pass.handed());
    return result;
  }

  private static @Nullable Object rejectOrThrow(
      Call call, Object message, RuntimeException problem) {
    if (!call.acknowledgment.reject(message)) {
      throw problem;
    }
    LOG.log(WARNING, "A message was rejected: {0}", problem.getMessage());
    return null;
  }

  private record Unidentified(Object message, RuntimeException problem) {}

  /** What is told when messages have been handled. */
  private interface Ending {
    @Nullable Object tell(List<?> handed, @Nullable Object result);
  }

  private @Nullable Object each(Call call) throws Throwable {
    List<?> received = (List<?>) call.received();
    List<Object> identified = new ArrayList<>();
    List<Unidentified> others = new ArrayList<>();
    Ending ending =
        (handed, result) -> {
          call.tell(received, handed);
          return result;
        };
    for (Object message : received) {
      RuntimeException problem = methods.problemWithId(call.method, message);
      if (problem == null) {
        identified.add(message);
      } else if (BatchFailures.canBeTold(message)) {
        return upTo(call, identified, failed(call, identified.size(), problem));
      } else {
        others.add(new Unidentified(message, problem));
        ending = // no container can be told which message it was
            (handed, result) -> {
              // Before the others, which a listener may acknowledge all at once.
              others.forEach(other -> rejectOrThrow(call, other.message, other.problem));
              call.tell(identified, handed);
              return result;
            };
      }
    }
    return upTo(call, identified, ending);
  }

  private static @Nullable Object upTo(Call call, List<?> messages, Ending ending)
      throws Throwable {
    OncePass pass = new OncePass(call.acknowledgment);
    Object result;
    try {
      result = messages.isEmpty() ? null : call.run(messages, pass);
    } catch (RefusedByListenerException e) {
      Refusal refusal = call.acknowledgment.refusal();
      Object first = pass.handed().get(call.inTransaction ? 0 : refusal.from());
      return upTo(call, before(first, messages), refused(call, first, refusal));
    } catch (Throwable e) {
      if (!BatchFailures.isOne(e)) {
        throw e;
      }
      call.acknowledgment.forget();
      Object first = BatchFailures.find(e, pass.handed());
      int index = Identity.indexOf((List<?>) call.received(), first);
      return upTo(call, before(first, messages), failed(call, index, e));
    }
    return ending.tell(pass.handed(), result);
  }

  private static List<?> before(Object message, List<?> messages) {
    return messages.subList(0, Identity.indexOf(messages, message));
  }

  private static Ending refused(Call call, Object first, Refusal refusal) {
    List<?> received = (List<?>) call.received();
    return (handed, result) -> {
      // What was passed over may have been handled in the same transaction, not yet committed.
      refusal.tell(received, call.inTransaction ? 0 : Identity.indexOf(received, first));
      return null;
    };
  }

  /** A container commits what is before the failed message, which the caller's may not do yet. */
  private static Ending failed(Call call, int index, Throwable failure) {
    if (call.inTransaction) {
      throw BatchFailures.ofAll(
          "a message failed, and those before it can't be committed alone, since the transaction is the caller's",
          failure);
    }
    return (handed, result) -> {
      throw BatchFailures.at(index, (List<?>) call.received(), failure);
    };
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.internal.publish;

import static java.util.Objects.requireNonNull;

import io.posthorn.Message;
import io.posthorn.Outbox;
import io.posthorn.OutboxMessage;
import io.posthorn.PublishException;
import io.posthorn.PublishOptions;
import io.posthorn.internal.run.FailureLog;
import io.posthorn.spi.ContextProvider;
import io.posthorn.spi.Envelope;
import io.posthorn.spi.IdGenerator;
import io.posthorn.spi.MessageExpressions;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spi.PublishHook;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transactions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Records messages in the caller's transaction. Safe to share between threads. */
public final class Publisher implements Outbox {
  private final Transactions transactions;
  private final Expressions expressions;
  private final Sealer sealer;
  private final Delays delays;
  private final IdempotencyKeys keys;
  private final Partitions partitions;
  private final Setting setting;
  private final Hooks hooks;
  private final Contexts contexts;
  private final BiConsumer<Transaction, List<NewMessage>> writer;

  /**
   * What a publisher goes by.
   *
   * @param codec null if there is none
   * @param ids null: UUIDs of version 7
   * @param types the type of each registered payload class
   * @param expressions null if there is no evaluator
   * @param accepted whether somebody will take a message
   * @param promoted whether somebody will deliver a delayed message when it is due
   * @param partitions how many there are
   * @param nearbyPartitions those that this process would read at once; may be empty
   * @param committed told of each transaction that was committed
   */
  public record Setting(
      PublishOptions options,
      @Nullable PayloadCodec codec,
      @Nullable IdGenerator ids,
      Clock clock,
      Map<Class<?>, String> types,
      @Nullable MessageExpressions expressions,
      Predicate<Envelope> accepted,
      boolean promoted,
      List<PublishHook> hooks,
      List<ContextProvider> contexts,
      int partitions,
      Supplier<List<Integer>> nearbyPartitions,
      Committed committed,
      FailureLog failures) {}

  /** What a transaction has published. */
  public interface Committed {
    /**
     * @param partitions that have something to read
     * @param messages how many, delayed ones too
     */
    void published(BitSet partitions, int messages);
  }

  public Publisher(Transactions transactions, MessageStore store, Setting setting) {
    this.transactions = transactions;
    this.partitions = new Partitions(setting.partitions(), setting.nearbyPartitions());
    this.setting = setting;
    this.hooks = new Hooks(setting.hooks(), setting.failures());
    this.contexts = new Contexts(setting.contexts(), setting.failures());
    IdGenerator ids = setting.ids() == null ? new UuidV7(setting.clock()) : setting.ids();
    this.expressions = new Expressions(setting.expressions());
    this.sealer = new Sealer(setting.codec(), ids, setting.clock(), setting.options());
    this.delays = new Delays(setting.promoted());
    this.keys = new IdempotencyKeys(store, setting.options().idempotencyRetention());
    this.writer = setting.options().deleteAtOnce() ? store::appendForLogOnly : store::append;
  }

  /** The partition of all messages with this key. */
  public static int partitionOf(String key, int partitions) {
    return Partitions.ofKey(key, partitions);
  }

  /** What is wrong with headers that are to replace those of a stored message, if anything is. */
  public static Optional<String> problemWith(Map<String, String> headers) {
    return HeaderFlaw.inStored(headers).map(flaw -> flaw.found() + "; " + flaw.fix());
  }

  @Override
  public List<UUID> publishAll(List<Message> messages) {
    requireNonNull(messages, "messages");
    Transaction transaction = transaction();
    List<NewMessage> sealed = seal(messages);
    List<UUID> ids = new ArrayList<>(sealed.size());
    for (Receipt receipt : write(transaction, sealed)) {
      ids.add(receipt.id());
    }
    return Collections.unmodifiableList(ids);
  }

  @Override
  public Receipt publishOnce(Message message) {
    requireNonNull(message, "message");
    Transaction transaction = transaction();
    List<NewMessage> sealed = seal(List.of(message));
    sealed.forEach(IdempotencyKeys::require);
    return write(transaction, sealed).get(0);
  }

  private Transaction transaction() {
    Transaction transaction = transactions.current();
    if (!transaction.acceptsWrites()) {
      throw new PublishException(
          "No message published: the transaction is already committing or has ended. Publish before the commit, or in a"
              + " transaction of its own");
    }
    return transaction;
  }

  private List<NewMessage> seal(List<Message> messages) {
    List<NewMessage> sealed = new ArrayList<>(messages.size());
    for (Message message : messages) {
      requireNonNull(message, () -> "messages[" + sealed.size() + "]");
      Message complete = expressions.complete(message);
      Message enriched = contexts.enrich(hooks.before(complete));
      Envelope envelope = sealer.seal(enriched);
      NewMessage.Delay delay = delays.of(enriched);
      checkAccepted(envelope);
      sealed.add(new NewMessage(partitions.of(envelope.key()), envelope, delay));
    }
    return sealed;
  }

  private List<Receipt> write(Transaction transaction, List<NewMessage> sealed) {
    TransactionBuffer buffer = buffer(transaction); // first, so that relays are nudged first
    try {
      return write(transaction, buffer, sealed);
    } catch (RuntimeException | Error e) {
      buffer.refused(e);
      throw e;
    }
  }

  private List<Receipt> write(
      Transaction transaction, TransactionBuffer buffer, List<NewMessage> sealed) {
    List<Receipt> receipts = keys.claim(transaction, sealed);
    List<NewMessage> unpublished = new ArrayList<>(sealed.size());
    for (int i = 0; i < sealed.size(); i++) {
      if (!receipts.get(i).alreadyPublished()) {
        unpublished.add(sealed.get(i));
      }
    }
    if (!unpublished.isEmpty()) {
      hooks.published(transaction, unpublished);
      buffer.add(unpublished);
    }
    return receipts;
  }

  @Override
  public UUID publish(Object payload) {
    if (payload instanceof Message message) {
      return publish(message);
    }
    return publish(typeOf(payload.getClass()), payload);
  }

  private String typeOf(Class<?> payloadClass) {
    String registered = setting.types().get(payloadClass);
    if (registered != null) {
      return registered;
    }
    OutboxMessage annotation = payloadClass.getAnnotation(OutboxMessage.class);
    if (annotation == null) {
      throw new PublishException(
          "Message not published: %s has no message type. Annotate it with @OutboxMessage(type = …), register it by type(…) in the builder, or pass the type"
              .formatted(payloadClass.getName()));
    }
    return annotation.type();
  }

  private void checkAccepted(Envelope envelope) {
    if (!setting.accepted().test(envelope)) {
      throw new PublishException(
          "Message of type \"%s\" not published: no handler of this process takes it. Register one, correct the type, or set publish.accept-unhandled-types if another process handles it"
              .formatted(envelope.type()));
    }
  }

  private TransactionBuffer buffer(Transaction transaction) {
    return transaction.attachment(
        this,
        TransactionBuffer.class,
        () ->
            new TransactionBuffer(
                transaction, writer, setting.options().bufferMessages(), setting.committed()));
  }
}

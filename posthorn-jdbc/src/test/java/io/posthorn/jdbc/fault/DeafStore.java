/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.fault;

import io.posthorn.spi.AdminStore;
import io.posthorn.spi.MessageStore;
import io.posthorn.spi.NewMessage;
import io.posthorn.spi.RelayIdentity;
import io.posthorn.spi.RelayStore;
import io.posthorn.spi.Settlement;
import io.posthorn.spi.StoreException;
import io.posthorn.spi.Transaction;
import io.posthorn.spi.Transactions;
import io.posthorn.spi.WakeChannel;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** A store whose listener can lose its connection for a while, or hear nothing at all. */
final class DeafStore implements MessageStore {
  private final MessageStore store;
  private volatile boolean cut;
  private volatile boolean deaf;
  private volatile boolean listening;
  private final AtomicInteger listened = new AtomicInteger();

  DeafStore(MessageStore store) {
    this.store = store;
  }

  /** From now on listening fails, until it is told otherwise. */
  void cut(boolean now) {
    cut = now;
  }

  /** Signals are swallowed without a word. */
  DeafStore deaf() {
    deaf = true;
    return this;
  }

  boolean isListening() {
    return listening;
  }

  /** How often the relay has begun to listen. */
  int listened() {
    return listened.get();
  }

  @Override
  public Optional<WakeChannel> wakeChannel() {
    return store.wakeChannel().map(Channel::new);
  }

  private final class Channel implements WakeChannel {
    private final WakeChannel channel;

    Channel(WakeChannel channel) {
      this.channel = channel;
    }

    @Override
    public void send(String signal) {
      channel.send(signal);
    }

    @Override
    public List<String> receive(Duration timeout) {
      boolean hears = false;
      List<String> heard;
      try {
        heard = receiveUnlessCut(timeout);
        hears = true;
      } finally {
        if (hears && !listening) {
          listened.incrementAndGet();
        }
        listening = hears;
      }
      return deaf ? List.of() : heard;
    }

    private List<String> receiveUnlessCut(Duration timeout) {
      if (cut) {
        channel.close();
        throw StoreException.unavailable("cut by DeafStore", null);
      }
      return channel.receive(timeout);
    }

    @Override
    public void close() {
      channel.close();
    }
  }

  @Override
  public Settled settle(
      Transaction transaction, RelayIdentity me, Settlement settlement, Duration limit) {
    return store.settle(transaction, me, settlement, limit);
  }

  @Override
  public int open() {
    return store.open();
  }

  @Override
  public Optional<String> problemWith(Transactions transactions) {
    return store.problemWith(transactions);
  }

  @Override
  public void append(Transaction transaction, List<NewMessage> messages) {
    store.append(transaction, messages);
  }

  @Override
  public void appendForLogOnly(Transaction transaction, List<NewMessage> messages) {
    store.appendForLogOnly(transaction, messages);
  }

  @Override
  public Optional<UUID> claim(
      Transaction transaction, String key, UUID messageId, Duration retention) {
    return store.claim(transaction, key, messageId, retention);
  }

  @Override
  public int purgeIdempotency(Duration olderThan, int limit) {
    return store.purgeIdempotency(olderThan, limit);
  }

  @Override
  public int purgeReady(Duration olderThan, int limit) {
    return store.purgeReady(olderThan, limit);
  }

  @Override
  public int purgeHistory(Duration olderThan, int limit) {
    return store.purgeHistory(olderThan, limit);
  }

  @Override
  public AdminStore admin() {
    return store.admin();
  }

  @Override
  public StoreException.Kind kindOf(Throwable failure) {
    return store.kindOf(failure);
  }

  @Override
  public RelayStore relay(Duration lease) {
    RelayStore relay = store.relay(lease);
    return (RelayStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {RelayStore.class},
            (self, method, arguments) -> {
              if (method.getName().equals("wakeChannel")) {
                return relay.wakeChannel().map(Channel::new);
              }
              try {
                return method.invoke(relay, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}

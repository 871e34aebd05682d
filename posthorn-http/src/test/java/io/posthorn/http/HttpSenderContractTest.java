/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import io.posthorn.spi.Outgoing;
import io.posthorn.spi.Sender;
import io.posthorn.test.contract.SenderContract;
import io.posthorn.test.contract.SenderUnderTest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

class HttpSenderContractTest extends SenderContract {
  private static final int MAX_BYTES = 100_000;

  @Override
  protected SenderUnderTest open() {
    return new Http();
  }

  private static final class Http implements SenderUnderTest {
    private final Endpoint endpoint = new Endpoint();
    private final HttpSender sender = HttpSender.builder().plainHttp("localhost").build();

    Http() {
      endpoint.answers(
          (request, exchange) ->
              endpoint.reply(request, exchange, request.body().length > MAX_BYTES ? 413 : 202));
    }

    @Override
    public Sender sender() {
      return sender;
    }

    @Override
    public String destination() {
      return endpoint.url();
    }

    @Override
    public List<Received> received(int atLeast, Duration limit) {
      return endpoint.accepted(atLeast, limit.toMillis()).stream().map(Http::received).toList();
    }

    private static Received received(Endpoint.Request request) {
      Map<String, String> headers = new LinkedHashMap<>();
      request
          .headers()
          .forEach(
              (name, value) ->
                  headers.put(
                      name, URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8)));
      return new Received(headers.get("posthorn-key"), headers, request.body());
    }

    @Override
    public void interrupt() {
      endpoint.stop();
    }

    @Override
    public void restore() {
      endpoint.start();
    }

    @Override
    public Optional<Outgoing> refused() {
      return Optional.of(
          new Outgoing(
              UUID.randomUUID(),
              "order-placed",
              destination(),
              null,
              "large",
              Map.of(),
              "text/plain",
              new byte[MAX_BYTES + 1],
              Instant.EPOCH));
    }

    @Override
    public boolean keepsTombstones() {
      return false;
    }

    @Override
    public void close() {
      sender.close();
      endpoint.close();
    }
  }
}

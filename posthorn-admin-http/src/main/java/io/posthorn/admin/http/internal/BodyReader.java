/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import io.posthorn.admin.http.WebRequest;
import io.posthorn.spi.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/**
 * Reads what a request carries, up to a size and within a time. A read that blocks is ended by the
 * server; one that brings a byte now and then ends here.
 */
record BodyReader(int maxBytes, Duration maxTime, Ticker ticker) {
  /**
   * @throws RequestProblem if it is too large or takes too long
   */
  byte[] read(WebRequest request) throws IOException {
    String announced = request.header("Content-Length");
    if (announced != null && (announced.length() > 9 || Integer.parseInt(announced) > maxBytes)) {
      throw tooLarge();
    }
    long begun = ticker.nanos();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    InputStream in = request.body();
    byte[] part = new byte[8_192];
    int read;
    while ((read = in.read(part)) >= 0) {
      body.write(part, 0, read);
      if (body.size() > maxBytes) {
        throw tooLarge();
      }
      if (ticker.nanos() - begun > maxTime.toNanos()) {
        throw new RequestProblem(408, "the body had not arrived after %s".formatted(maxTime));
      }
    }
    return body.toByteArray();
  }

  private RequestProblem tooLarge() {
    return new RequestProblem(413, "the body may have %d bytes".formatted(maxBytes))
        .header("Connection", "close");
  }
}

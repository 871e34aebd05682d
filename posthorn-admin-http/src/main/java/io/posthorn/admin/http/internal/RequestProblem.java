/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import static java.util.Objects.requireNonNull;

import io.posthorn.admin.http.WebResponse;
import java.util.LinkedHashMap;
import java.util.Map;

/** Why a request is not answered as asked; becomes problem details (RFC 9457). */
public final class RequestProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final Map<Integer, String> TITLES =
      Map.ofEntries(
          Map.entry(400, "Bad request"),
          Map.entry(401, "Not logged in"),
          Map.entry(403, "Not permitted"),
          Map.entry(404, "Not found"),
          Map.entry(405, "Method not allowed"),
          Map.entry(408, "Request took too long"),
          Map.entry(409, "Conflict"),
          Map.entry(413, "Request too large"),
          Map.entry(415, "Unsupported media type"),
          Map.entry(421, "Misdirected request"),
          Map.entry(422, "Cannot be done"),
          Map.entry(500, "Request failed"),
          Map.entry(503, "Not available"));

  private final int status;
  private final transient Map<String, String> headers = new LinkedHashMap<>();
  private final transient JsonObject more = new JsonObject();

  /**
   * @param detail a sentence for who sent the request: what was found, what was expected
   */
  public RequestProblem(int status, String detail) {
    super(detail, null, false, false); // it is an answer, not a failure: nobody looks at its trace
    this.status = status;
  }

  static RequestProblem badRequest(String detail, Object... values) {
    return new RequestProblem(400, detail.formatted(values));
  }

  /** The same, with a header. */
  public RequestProblem header(String name, String value) {
    headers.put(name, value);
    return this;
  }

  /** The same, with one more member. */
  public RequestProblem with(String name, Object value) {
    more.put(name, value);
    return this;
  }

  public WebResponse response() {
    JsonObject details =
        new JsonObject()
            .put("type", "about:blank")
            .put("title", TITLES.getOrDefault(status, "Request failed"))
            .put("status", status)
            .put("detail", requireNonNull(getMessage(), "detail"));
    more.values().forEach(details::put);
    WebResponse response = WebResponse.of(status, "application/problem+json", Json.bytes(details));
    for (Map.Entry<String, String> header : headers.entrySet()) {
      response = response.header(header.getKey(), header.getValue());
    }
    return response;
  }
}

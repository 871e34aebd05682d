/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn;

/**
 * The names of the headers that every message to a broker carries beside its own ones. An own
 * header of the same name is replaced.
 *
 * @since 0.1
 */
public final class MessageHeaders {
  /** The message's id: what an inbox tells repetitions by. */
  public static final String ID = "posthorn-id";

  /** The message's type. */
  public static final String TYPE = "posthorn-type";

  /** The message's key, if it has one; a route may choose another key for the broker. */
  public static final String KEY = "posthorn-key";

  /** The kind of aggregate that the message tells about, if it was given. */
  public static final String AGGREGATE_TYPE = "posthorn-aggregate-type";

  /** The tenant, if there is one. */
  public static final String TENANT = "posthorn-tenant";

  /** When the row was written, on the database's clock; ISO 8601 in UTC. */
  public static final String CREATED_AT = "posthorn-created-at";

  /** When it happened, as the publisher said; ISO 8601 in UTC. */
  public static final String OCCURRED_AT = "posthorn-occurred-at";

  /** The key under which the message was published once only, if it has one. */
  public static final String IDEMPOTENCY_KEY = Message.IDEMPOTENCY_KEY_HEADER;

  /**
   * Set if an operator replaced the payload: the id of the first such action, which keeps the
   * original ({@link ActionLog#find}).
   */
  public static final String EDITED = "posthorn-edited";

  /**
   * In place of all headers of a row whose headers can't be read, since they are not a JSON object
   * of strings; its value tells where. The row keeps them as they are.
   */
  public static final String UNREADABLE = "posthorn-unreadable-headers";

  /** The media type of the payload. */
  public static final String CONTENT_TYPE = "content-type";

  /** W3C trace context of the publisher, if it was traced. */
  public static final String TRACEPARENT = "traceparent";

  private MessageHeaders() {}
}

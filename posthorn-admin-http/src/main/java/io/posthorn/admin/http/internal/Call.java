/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.internal;

import static java.util.Objects.requireNonNull;

import io.posthorn.Admin;
import io.posthorn.Posthorn;
import io.posthorn.admin.http.AdminAccess;
import io.posthorn.admin.http.AdminPermission;
import io.posthorn.admin.http.WebRequest;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request that its sender may make, on its way to the operation that answers it. For one thread.
 *
 * @param path the variable parts of the path, by name
 */
record Call(
    WebRequest request,
    AdminAccess access,
    Map<String, String> path,
    Query query,
    Map<String, Posthorn> outboxes,
    BodyReader bodies) {
  private static final int MAX_WHO = 100;

  /** The outbox that is meant. */
  Posthorn outbox() {
    return requireNonNull(outboxes.get(outboxName()), "outbox");
  }

  String outboxName() {
    String name = query.text("outbox");
    if (name == null) {
      if (outboxes.size() > 1) {
        throw RequestProblem.badRequest(
            "the parameter \"outbox\" is missing; there are %s", Json.sorted(outboxes.keySet()));
      }
      return outboxes.keySet().iterator().next();
    }
    if (!outboxes.containsKey(name)) {
      throw new RequestProblem(
          404, "there is no such outbox; there are %s".formatted(Json.sorted(outboxes.keySet())));
    }
    return name;
  }

  Admin admin() {
    return outbox().admin();
  }

  /** The same, in the name of who asks. */
  Admin adminAs(@Nullable String why) {
    String who = access.name();
    if (who == null || who.isBlank()) {
      who = "unknown";
    }
    return admin().as(who.length() <= MAX_WHO ? who : who.substring(0, MAX_WHO), why);
  }

  boolean maySeePayloads() {
    return access.may(AdminPermission.SEE_PAYLOADS);
  }

  /** What the request carries. */
  JsonInput body() throws IOException {
    return Json.read(bytes());
  }

  byte[] bytes() throws IOException {
    return bodies.read(request);
  }

  Admin.EntryId entry() {
    return EntryIds.parse(variable("entry"));
  }

  /** A variable part of the path that is a UUID. */
  UUID uuid(String name) {
    try {
      return Query.uuidOf(variable(name));
    } catch (IllegalArgumentException e) {
      throw RequestProblem.badRequest("\"%s\" in the path must be a UUID", name);
    }
  }

  String variable(String name) {
    return requireNonNull(path.get(name), name);
  }
}

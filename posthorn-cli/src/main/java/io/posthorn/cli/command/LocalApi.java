/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.posthorn.Posthorn;
import io.posthorn.admin.http.AdminAccess;
import io.posthorn.admin.http.AdminHttp;
import io.posthorn.admin.http.AdminPermission;
import io.posthorn.admin.http.WebRequest;
import io.posthorn.cli.Database;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.EnumSet;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The same API in this process, on the database itself: one that a server answers, without one. */
final class LocalApi implements AdminApi {
  private final Database database;
  private final AdminHttp admin;

  /**
   * @param database closed with this
   * @param who recorded with what is done
   */
  LocalApi(Database database, String who) {
    this.database = database;
    Posthorn posthorn = Posthorn.publishOnly(database.store(), database.transactions()).build();
    AdminAccess access = AdminAccess.of(who, EnumSet.allOf(AdminPermission.class));
    this.admin = AdminHttp.builder(request -> access).outbox("outbox", posthorn).build();
  }

  @Override
  public JsonNode get(String path) {
    return answer(new Request("GET", path, new byte[0]));
  }

  @Override
  public JsonNode act(UUID action, ObjectNode request) {
    return answer(
        new Request(
            "PUT", "actions/" + action, request.toString().getBytes(StandardCharsets.UTF_8)));
  }

  private JsonNode answer(Request request) {
    try {
      var response = admin.handle(request);
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      response.body().writeTo(body);
      return AdminApi.answer(response.status(), body.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    admin.close();
    database.close();
  }

  /** What a server would hand over. */
  private static final class Request implements WebRequest {
    private final String method;
    private final String target;
    private final byte[] body;

    Request(String method, String target, byte[] body) {
      this.method = method;
      this.target = "/api/v1/" + target;
      this.body = body;
    }

    @Override
    public String method() {
      return method;
    }

    @Override
    public String basePath() {
      return "";
    }

    @Override
    public String path() {
      int query = target.indexOf('?');
      return query < 0 ? target : target.substring(0, query);
    }

    @Override
    public @Nullable String query() {
      int query = target.indexOf('?');
      return query < 0 ? null : target.substring(query + 1);
    }

    @Override
    public @Nullable String header(String name) {
      return switch (name.toLowerCase(Locale.ROOT)) {
        case "content-type" -> "application/json";
        case "content-length" -> Integer.toString(body.length);
        default -> null;
      };
    }

    @Override
    public InputStream body() {
      return new ByteArrayInputStream(body);
    }

    @Override
    public @Nullable Principal principal() {
      return null;
    }
  }
}

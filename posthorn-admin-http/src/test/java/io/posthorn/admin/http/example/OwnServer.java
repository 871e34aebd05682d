/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.admin.http.example;

import io.posthorn.Posthorn;
import io.posthorn.admin.http.AdminAuthorizer;
import io.posthorn.admin.http.AdminHttp;
import io.posthorn.admin.http.JdkWebServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The admin API in a process without a web framework. */
final class OwnServer implements AutoCloseable {
  private final AdminHttp admin;
  private final JdkWebServer server;

  private OwnServer(AdminHttp admin, JdkWebServer server) {
    this.admin = admin;
    this.server = server;
  }

  static OwnServer serve(Posthorn posthorn, AdminAuthorizer authorizer) {
    // docs:begin
    AdminHttp admin =
        AdminHttp.builder(authorizer).outbox("orders", posthorn).mask("password").build();
    JdkWebServer server =
        JdkWebServer.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 8080))
            .mount("/posthorn", admin)
            .start();
    // docs:end
    return new OwnServer(admin, server);
  }

  @Override
  public void close() {
    server.close();
    admin.close();
  }
}

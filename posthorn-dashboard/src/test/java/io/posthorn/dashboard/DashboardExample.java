/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import io.posthorn.Posthorn;
import io.posthorn.admin.http.AdminAuthorizer;
import io.posthorn.admin.http.AdminHttp;
import io.posthorn.admin.http.JdkWebServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** What the documentation shows. */
final class DashboardExample {
  private DashboardExample() {}

  static JdkWebServer serve(Posthorn posthorn, AdminAuthorizer authorizer) {
    // docs:begin
    AdminHttp admin =
        AdminHttp.builder(authorizer)
            .outbox("shop", posthorn)
            .mask("password", "$.card.number")
            .pages(new Dashboard())
            .build();
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 8080);
    JdkWebServer server = JdkWebServer.builder(address).mount("/ops/posthorn", admin).start();
    // docs:end
    return server;
  }
}

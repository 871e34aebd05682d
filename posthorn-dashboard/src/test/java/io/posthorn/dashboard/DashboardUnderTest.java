/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import io.posthorn.admin.http.AdminAccess;
import io.posthorn.admin.http.AdminHttp;
import io.posthorn.admin.http.AdminPermission;
import io.posthorn.admin.http.JdkWebServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;

/** The dashboard of a running relay, as its operators get it: with all rights, and read-only. */
final class DashboardUnderTest implements AutoCloseable {
  static final String OPERATOR = "anna";

  private final ShopOutbox shop = new ShopOutbox();
  private final AdminHttp admin = admin(false);
  private final AdminHttp readOnly = admin(true);
  private final JdkWebServer server;
  private final PrefixProxy proxy;
  private final Browser browser;

  DashboardUnderTest() {
    server =
        JdkWebServer.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .mount("/ops/posthorn", admin)
            .mount("/read-only", readOnly)
            .start();
    proxy = PrefixProxy.start("/tools/outbox/", url());
    browser = new Browser();
  }

  private AdminHttp admin(boolean readOnly) {
    return AdminHttp.builder(
            request -> AdminAccess.of(OPERATOR, EnumSet.allOf(AdminPermission.class)))
        .outbox("shop", shop.posthorn())
        .mask("password")
        .readOnly(readOnly)
        .pages(new Dashboard())
        .build();
  }

  ShopOutbox shop() {
    return shop;
  }

  Browser browser() {
    return browser;
  }

  /** Ends with a slash. */
  String url() {
    return "http://127.0.0.1:" + server.port() + "/ops/posthorn/";
  }

  String readOnlyUrl() {
    return "http://127.0.0.1:" + server.port() + "/read-only/";
  }

  /** The same page behind a proxy that has it at another path and passes no event streams. */
  String proxiedUrl() {
    return proxy.url();
  }

  void open(String place) {
    browser.open(url() + place);
  }

  @Override
  public void close() {
    browser.close();
    proxy.close();
    server.close();
    readOnly.close();
    admin.close();
    shop.close();
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.admin.http.WebHandler;
import io.posthorn.admin.http.WebRequest;
import io.posthorn.admin.http.WebRequest.CsrfToken;
import io.posthorn.admin.http.WebResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.MappingMatch;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.Principal;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.HttpRequestHandler;

/** Hands requests of the servlet container over, and sends the answers. */
final class AdminHttpRequestHandler implements HttpRequestHandler {
  private final WebHandler handler;
  private final String path;
  private final Function<HttpServletRequest, @Nullable CsrfToken> csrfTokens;

  /**
   * @param path under which it is mounted in the application
   */
  AdminHttpRequestHandler(
      WebHandler handler,
      String path,
      Function<HttpServletRequest, @Nullable CsrfToken> csrfTokens) {
    this.handler = handler;
    this.path = path;
    this.csrfTokens = csrfTokens;
  }

  @Override
  public void handleRequest(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String base = basePath(request);
    if (!isBelow(base, request.getRequestURI())) { // written in another way than it is mounted
      response.sendError(HttpServletResponse.SC_NOT_FOUND);
      return;
    }
    WebResponse answer = handler.handle(new Request(request, base));
    response.setStatus(answer.status());
    answer.headers().forEach(response::setHeader);
    if (request.getMethod().equals("HEAD")) {
      return;
    }
    if (answer.length() >= 0) {
      response.setContentLengthLong(answer.length());
    }
    answer.body().writeTo(response.getOutputStream());
  }

  private String basePath(HttpServletRequest request) {
    boolean inFolder = request.getHttpServletMapping().getMappingMatch() == MappingMatch.PATH;
    return request.getContextPath() + (inFolder ? request.getServletPath() : "") + path;
  }

  private static boolean isBelow(String base, String uri) {
    return uri.equals(base) || uri.startsWith(base + "/");
  }

  private final class Request implements WebRequest {
    private final HttpServletRequest request;
    private final String base;

    Request(HttpServletRequest request, String base) {
      this.request = request;
      this.base = base;
    }

    @Override
    public String method() {
      return request.getMethod();
    }

    @Override
    public String basePath() {
      return base;
    }

    @Override
    public String path() {
      return request.getRequestURI().substring(base.length());
    }

    @Override
    public @Nullable String query() {
      return request.getQueryString();
    }

    @Override
    public @Nullable String header(String name) {
      return request.getHeader(name);
    }

    @Override
    public InputStream body() {
      try {
        return request.getInputStream();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public @Nullable Principal principal() {
      return request.getUserPrincipal();
    }

    @Override
    public @Nullable CsrfToken csrfToken() {
      return csrfTokens.apply(request);
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.boot;

import io.posthorn.admin.http.WebRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;

/** The token of Spring Security's protection against CSRF, if that is on. */
final class SecurityCsrfToken
    implements Function<HttpServletRequest, WebRequest.@Nullable CsrfToken> {
  @Override
  public WebRequest.@Nullable CsrfToken apply(HttpServletRequest request) {
    return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
        ? new WebRequest.CsrfToken(token.getHeaderName(), token.getToken())
        : null;
  }
}

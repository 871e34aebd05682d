/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import io.posthorn.admin.http.WebHandler;
import io.posthorn.admin.http.WebRequest;
import io.posthorn.admin.http.WebResponse;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Serves the files of the web page, which calls the REST API below its own directory. Give it to
 * the handler of that API. It asks for no permissions itself and shows nothing of the outbox: what
 * a user sees and may do is decided by the API.
 *
 * <p>All links are relative, so that any base path will do, also one that a proxy rewrites. Nothing
 * is loaded from other hosts. Safe to share between threads.
 *
 * <pre>{@code
 * AdminHttp.builder(authorizer).outbox("outbox", posthorn).pages(new Dashboard()).build();
 * }</pre>
 *
 * @since 0.1
 */
public final class Dashboard implements WebHandler {
  /** Scripts and styles from here only; no inline code, no frames, no forms that leave the page. */
  static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " frame-ancestors 'none'; base-uri 'none'; form-action 'none';"
          + " require-trusted-types-for 'script'; trusted-types lit-html";

  private static final String START = "index.html";

  /** The directory of all other files is named by a checksum of them. */
  private static final Pattern ASSET = Pattern.compile("/assets/([0-9a-f]{64})/(.+)");

  private final Map<String, PageFile> files = new ConcurrentHashMap<>();
  private final PageFile start;
  private final String checksum;

  public Dashboard() {
    start = PageFile.read(START).orElseThrow(() -> incomplete("it has no " + START));
    Matcher asset = Pattern.compile("assets/([0-9a-f]{64})/").matcher(start.text());
    if (!asset.find()) {
      throw incomplete(START + " names no files");
    }
    checksum = asset.group(1);
  }

  @Override
  public WebResponse handle(WebRequest request) {
    if (request.path().equals("/")) {
      return secured(start.answer(request).header("Cache-Control", "no-cache"));
    }
    Matcher asset = ASSET.matcher(request.path());
    Optional<PageFile> file = asset.matches() ? find(asset.group(2)) : Optional.empty();
    if (file.isEmpty()) {
      return secured(
          WebResponse.text(404, "text/plain; charset=utf-8", "There is no such page here.\n"));
    }
    // Another version of the page asks, in the middle of a deployment: answered, but not kept.
    boolean current = asset.group(1).equals(checksum);
    return secured(
        file.get()
            .answer(request)
            .header(
                "Cache-Control", current ? "private, max-age=31536000, immutable" : "no-store"));
  }

  /** Only what exists is kept, so that strangers can't fill the memory with names. */
  private Optional<PageFile> find(String name) {
    @Nullable PageFile known = files.get(name);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<PageFile> read = name.equals(START) ? Optional.empty() : PageFile.read(name);
    read.ifPresent(file -> files.put(name, file));
    return read;
  }

  private static WebResponse secured(WebResponse answer) {
    return answer
        .header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        .header("X-Content-Type-Options", "nosniff")
        .header("X-Frame-Options", "DENY")
        .header("Referrer-Policy", "no-referrer")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .header("Cross-Origin-Resource-Policy", "same-origin");
  }

  private static IllegalStateException incomplete(String why) {
    return new IllegalStateException(
        "The jar posthorn-dashboard is incomplete: %s. Build it with Maven.".formatted(why));
  }
}

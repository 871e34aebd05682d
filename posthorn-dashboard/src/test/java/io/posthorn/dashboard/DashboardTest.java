/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.admin.http.WebRequest;
import io.posthorn.admin.http.WebResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DashboardTest {
  private static final Pattern REFERENCE =
      Pattern.compile("(?:from|import|src=|href=)\\s*[\"']([^\"'#]+\\.(?:js|css|svg))[\"']");

  private final Dashboard dashboard = new Dashboard();

  @Test
  void theStartPageIsHtmlThatIsAskedForAgainEachTime() throws IOException {
    WebResponse start = get("/");

    assertThat(start.status()).isEqualTo(200);
    assertThat(start.headers())
        .containsEntry("Content-Type", "text/html; charset=utf-8")
        .containsEntry("Cache-Control", "no-cache")
        .containsEntry("X-Content-Type-Options", "nosniff")
        .containsKey("ETag");
    assertThat(text(start)).contains("<posthorn-app>");
  }

  @Test
  void everyFileThatThePageRefersToIsThereAndIsKeptForGood() throws IOException {
    Set<String> seen = new TreeSet<>();
    Deque<String> open = new ArrayDeque<>(Set.of("/"));
    while (!open.isEmpty()) {
      String path = open.pop();
      WebResponse file = get(path);
      assertThat(file.status()).as(path).isEqualTo(200);
      if (!path.equals("/")) {
        assertThat(file.headers().get("Cache-Control")).as(path).contains("immutable");
      }
      Matcher reference = REFERENCE.matcher(text(file));
      while (reference.find()) {
        String target = URI.create(path).resolve(reference.group(1)).toString();
        if (seen.add(target)) {
          open.push(target);
        }
      }
    }
    assertThat(seen)
        .anyMatch(path -> path.endsWith("/lib/lit-html/lit-html.js"))
        .anyMatch(path -> path.endsWith("/lib/chart.js/chart.umd.min.js"))
        .anyMatch(path -> path.endsWith("/pages/overview.js"))
        .anyMatch(path -> path.endsWith("/style/parts.css"));
  }

  @Test
  void nothingNamesAnotherHost() throws IOException {
    for (String path : new String[] {"/", asset("app.js"), asset("style/parts.css")}) {
      assertThat(text(get(path))).as(path).doesNotContain("https://").doesNotContain("url(");
    }
  }

  @Test
  void thePolicyAllowsScriptsAndStylesFromHereOnly() {
    String policy = get("/").headers().get("Content-Security-Policy");

    assertThat(policy)
        .contains("default-src 'none'", "script-src 'self'", "style-src 'self'")
        .contains("frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'")
        .doesNotContain("unsafe", "http", "*", "sha256");
    assertThat(get("/nowhere").headers()).containsEntry("Content-Security-Policy", policy);
    assertThat(get(asset("app.js")).headers()).containsEntry("Content-Security-Policy", policy);
  }

  @Test
  void whatTheBrowserHasIsNotSentAgain() throws IOException {
    String tag = get("/").headers().get("ETag");

    WebResponse again = get("/", Map.of("If-None-Match", tag));

    assertThat(again.status()).isEqualTo(304);
    assertThat(again.headers()).containsEntry("ETag", tag);
    assertThat(bytes(again)).isEmpty();
    assertThat(get("/", Map.of("If-None-Match", "W/\"other\"")).status()).isEqualTo(200);
  }

  @Test
  void filesAreCompressedForThoseWhoTakeIt() throws IOException {
    String path = asset("lib/chart.js/chart.umd.min.js");

    WebResponse compressed = get(path, Map.of("Accept-Encoding", "br, gzip;q=0.8"));

    assertThat(compressed.headers())
        .containsEntry("Content-Encoding", "gzip")
        .containsEntry("Vary", "Accept-Encoding");
    assertThat(compressed.length()).isLessThan(get(path).length() / 2);
    byte[] plain = new GZIPInputStream(new ByteArrayInputStream(bytes(compressed))).readAllBytes();
    assertThat(plain).isEqualTo(bytes(get(path)));
    assertThat(get(path, Map.of("Accept-Encoding", "gzip;q=0, br")).headers())
        .doesNotContainKey("Content-Encoding");
  }

  @Test
  void anotherVersionsFilesAreAnsweredButNotKept() {
    WebResponse other = get("/assets/" + "0".repeat(64) + "/app.js");

    assertThat(other.status()).isEqualTo(200);
    assertThat(other.headers()).containsEntry("Cache-Control", "no-store");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/index.html",
        "/assets",
        "/nowhere.js",
        "//",
        "/ASSETS/",
        "HERE/../../Dashboard.class",
        "HERE/..%2f..%2fDashboard.class",
        "HERE/%2e%2e/index.html",
        "HERE/../index.html",
        "HERE/..\\index.html",
        "HERE/.%00./index.html",
        "HERE//etc/passwd",
        "HERE/pages",
        "HERE/pages/",
        "HERE/index.html",
        "HERE/lib/lit/LICENSE",
        "HERE/app.js/",
        "HERE/app.js%00.css",
        "HERE/APP.JS",
      })
  void nothingElseIsServed(String path) {
    String here = asset("app.js").replace("/app.js", "");

    WebResponse answer = get(path.replace("HERE", here));

    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.headers()).containsEntry("X-Content-Type-Options", "nosniff");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lit/LICENSE",
        "lit-html/LICENSE",
        "lit-element/LICENSE",
        "lit__reactive-element/LICENSE",
        "chart.js/LICENSE.md",
        "kurkle__color/LICENSE.md"
      })
  void librariesComeWithTheirLicences(String licence) throws IOException {
    try (InputStream file = Dashboard.class.getResourceAsStream("page/lib/" + licence)) {
      assertThat(file).as(licence).isNotNull();
      assertThat(new String(file.readAllBytes(), StandardCharsets.UTF_8)).contains("Copyright");
    }
  }

  private String asset(String name) {
    try {
      Matcher directory = Pattern.compile("assets/[0-9a-f]{64}/").matcher(text(get("/")));
      assertThat(directory.find()).isTrue();
      return "/" + directory.group() + name;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private WebResponse get(String path) {
    return get(path, Map.of());
  }

  private WebResponse get(String path, Map<String, String> headers) {
    return dashboard.handle(new Request(path, headers));
  }

  private static String text(WebResponse response) throws IOException {
    return new String(bytes(response), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(WebResponse response) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    response.body().writeTo(out);
    return out.toByteArray();
  }

  private record Request(String path, Map<String, String> headers) implements WebRequest {
    @Override
    public String method() {
      return "GET";
    }

    @Override
    public String basePath() {
      return "/ops/posthorn";
    }

    @Override
    public String query() {
      return null;
    }

    @Override
    public String header(String name) {
      return headers.get(name);
    }

    @Override
    public InputStream body() {
      return InputStream.nullInputStream();
    }

    @Override
    public Principal principal() {
      return null;
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.posthorn.DestinationDownException;
import io.posthorn.spi.Outgoing;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a server that has a certificate of its own making. */
class TlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir Path directory;
  private SSLContext tls;
  private HttpsServer server;

  @BeforeEach
  void start() throws Exception {
    KeyStore keys = keys();
    KeyManagerFactory own = KeyManagerFactory.getInstance("PKIX");
    own.init(keys, PASSWORD);
    TrustManagerFactory trusted = TrustManagerFactory.getInstance("PKIX");
    trusted.init(keys);
    tls = SSLContext.getInstance("TLS");
    tls.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
  }

  private KeyStore keys() throws Exception {
    Path file = directory.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "endpoint",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("keytool.log").toFile())
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).as(() -> read(directory.resolve("keytool.log"))).isZero();
    return KeyStore.getInstance(file.toFile(), PASSWORD);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private Outgoing message() {
    return new Outgoing(
        UUID.randomUUID(),
        "order-placed",
        "https://localhost:" + server.getAddress().getPort() + "/",
        null,
        "k",
        Map.of(),
        "text/plain",
        new byte[] {1},
        Instant.EPOCH);
  }

  @Test
  void aCertificateThatIsTrustedIsAccepted() throws Exception {
    try (HttpSender sender =
        HttpSender.builder().client(client -> client.sslContext(tls)).build()) {
      assertThat(sender.send(message()).toCompletableFuture())
          .succeedsWithin(Duration.ofSeconds(20));
    }
  }

  @Test
  void aCertificateThatIsNotTrustedMakesTheEndpointUnavailable() {
    try (HttpSender sender = HttpSender.create()) {
      assertThatThrownBy(
              () -> sender.send(message()).toCompletableFuture().get(20, TimeUnit.SECONDS))
          .hasCauseInstanceOf(DestinationDownException.class)
          .hasMessageContaining("cannot be reached: SSLHandshakeException");
    }
  }
}

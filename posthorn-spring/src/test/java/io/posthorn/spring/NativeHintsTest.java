/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.proxies;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import com.rabbitmq.client.Channel;
import io.posthorn.Batch;
import io.posthorn.spi.PayloadCodec;
import io.posthorn.spring.application.Application;
import io.posthorn.spring.scanned.ScannedMessage;
import jakarta.transaction.UserTransaction;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.orm.jpa.EntityManagerHolder;

/** What a native image is told when the context is processed ahead of time. */
class NativeHintsTest {
  private static RuntimeHints hints(Class<?>... beans) {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.register(beans);
      DefaultGenerationContext generation =
          new DefaultGenerationContext(
              new ClassNameGenerator(ClassName.get(NativeHintsTest.class)),
              new InMemoryGeneratedFiles());
      new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
      return generation.getRuntimeHints();
    }
  }

  private static void assertInvocable(RuntimeHints hints, Class<?> type, String method) {
    assertThat(reflection().onMethod(type, method).invoke()).accepts(hints);
  }

  /** Read, written and asked for its properties. */
  private static void assertBound(RuntimeHints hints, Class<?> payload, String accessor)
      throws ReflectiveOperationException {
    assertInvocable(hints, payload, accessor);
    assertThat(reflection().onConstructor(payload.getDeclaredConstructor(String.class)).invoke())
        .accepts(hints);
  }

  record Single(String id) {}

  record Many(String id) {}

  record Given(String id) {}

  interface Sending {
    void send(Single single);
  }

  /** The annotation of a superclass counts; the method that is called is the subclass's. */
  abstract static class Template<T> {
    @OutboxHandler(type = "template")
    abstract void on(T payload);
  }

  static class Handlers extends Template<Given> implements Sending {
    @Override
    @OutboxHandler(type = "single")
    public void send(Single single) {}

    @OutboxHandler(type = "many")
    void all(Batch<Many> batch) {}

    @OutboxFallback(handler = "send")
    void giveUp(Single single) {}

    @Override
    void on(Given payload) {}

    void other(Single single) {}
  }

  @Test
  void handlersAndFallbacksAreCalled() throws Exception {
    RuntimeHints hints = hints(Handlers.class);

    assertInvocable(hints, Handlers.class, "send");
    assertInvocable(hints, Handlers.class, "all");
    assertInvocable(hints, Handlers.class, "giveUp");
    assertThat(reflection().onMethod(Handlers.class.getDeclaredMethod("on", Given.class)).invoke())
        .accepts(hints);
    assertInvocable(hints, Sending.class, "send");
    assertThat(reflection().onMethod(Handlers.class, "other").invoke()).rejects(hints);
  }

  @Test
  void payloadsOfHandlersAreRead() throws Exception {
    RuntimeHints hints = hints(Handlers.class);

    assertBound(hints, Single.class, "id");
    assertBound(hints, Many.class, "id");
    assertBound(hints, Given.class, "id");
  }

  record Result(String id) {}

  record Cart(String channel) {}

  record Unnamed(String text) {}

  /** Its result is in a list, and one parameter in an expression. */
  static class Shop {
    @OutboxPublish(type = "placed", key = "#payload.id", headers = "channel=#cart.channel")
    public List<Result> place(Cart cart, Unnamed unnamed) {
      return List.of(new Result(cart.channel() + unnamed.text()));
    }
  }

  @Test
  void whatIsPublishedIsWrittenAndAskedForKeyAndHeaders() throws Exception {
    RuntimeHints hints = hints(Shop.class);

    assertBound(hints, Result.class, "id");
    assertBound(hints, Cart.class, "channel");
    assertThat(reflection().onType(Unnamed.class)).rejects(hints);
  }

  @Configuration
  @ComponentScan("io.posthorn.spring.scanned")
  static class Named {}

  @Configuration
  @ComponentScan(basePackageClasses = ScannedMessage.class)
  static class ByClass {}

  @Test
  void messageClassesAreFoundWhereComponentsAre() throws Exception {
    assertBound(hints(Named.class), ScannedMessage.class, "orderId");
    assertBound(hints(ByClass.class), ScannedMessage.class, "orderId");
    assertBound(hints(Application.class), Application.OwnMessage.class, "orderId");
    assertThat(reflection().onType(ScannedMessage.class)).rejects(hints(Shop.class));
  }

  @Test
  void whatTheLibraryLoadsByNameIsThere() {
    RuntimeHints hints = hints(Shop.class);

    assertThat(resource().forResource("io/posthorn/internal/version.txt")).accepts(hints);
    assertThat(resource().forResource("io/posthorn/jdbc/h2/V1__create_outbox.sql")).accepts(hints);
    assertThat(resource().forResource("io/posthorn/jdbc/postgresql/V1__create_outbox.sql"))
        .accepts(hints);
    assertThat(resource().forResource("META-INF/services/io.posthorn.spi.PayloadCodec"))
        .accepts(hints);
    assertThat(reflection().onType(EntityManagerHolder.class)).accepts(hints);
    assertThat(reflection().onType(UserTransaction.class)).accepts(hints);
    assertThat(reflection().onType(BatchListenerFailedException.class)).accepts(hints);
    assertThat(proxies().forInterfaces(Channel.class)).accepts(hints);
    assertInvocable(hints, MethodRoot.class, "args");
  }

  /** Found by its name in a file of services. */
  public static class OwnCodec implements PayloadCodec {
    @Override
    public String contentType() {
      return "text/plain";
    }

    @Override
    public byte[] encode(Object payload) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <T> T decode(byte[] payload, Class<T> type) {
      throw new UnsupportedOperationException();
    }
  }

  @Test
  void codecsAreMadeAndOneThatIsBrokenIsPassedOver(@TempDir Path jar) throws Exception {
    Path services = Files.createDirectories(jar.resolve("META-INF/services"));
    Files.writeString(
        services.resolve(PayloadCodec.class.getName()),
        "com.acme.Missing\n" + OwnCodec.class.getName() + "\n");
    RuntimeHints hints = new RuntimeHints();

    try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()})) {
      new LibraryHints().registerHints(hints, loader);
    }

    assertThat(reflection().onConstructor(OwnCodec.class.getConstructor()).invoke()).accepts(hints);
  }
}

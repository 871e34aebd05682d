/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import static java.lang.System.Logger.Level.INFO;

import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.posthorn.ConfigurationException;
import io.posthorn.Posthorn;
import io.posthorn.admin.http.AdminHttp;
import io.posthorn.admin.http.JdkWebServer;
import io.posthorn.admin.http.WebRequest;
import io.posthorn.admin.http.WebResponse;
import io.posthorn.cli.Database;
import io.posthorn.dashboard.Dashboard;
import io.posthorn.micrometer.PosthornMetrics;
import io.posthorn.spi.LoggerSource;
import io.posthorn.spi.Sender;
import java.util.ArrayDeque;
import java.util.Deque;

/** A running relay with its senders and its server. Starting is all or nothing. */
public final class RelayProcess implements AutoCloseable {
  private static final System.Logger LOG = LoggerSource.of(RelayProcess.class.getName());
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  /** What was opened, the last first. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  private final RelayConfig config;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Posthorn posthorn;
  private final HealthEndpoints health;
  private final JdkWebServer server;

  private RelayProcess(RelayConfig config) {
    this.config = config;
    try {
      this.posthorn = build();
      this.health = new HealthEndpoints(posthorn);
      posthorn.start();
      recordFigures();
      this.server = opened(serve());
    } catch (RuntimeException e) {
      closeAll();
      throw e;
    }
  }

  /**
   * @throws ConfigurationException naming every problem that the file did not show
   * @throws io.posthorn.spi.StoreException if the database can't be reached
   */
  public static RelayProcess start(RelayConfig config) {
    return new RelayProcess(config);
  }

  private <T extends AutoCloseable> T opened(T resource) {
    opened.addFirst(resource);
    return resource;
  }

  private Posthorn build() {
    opened(registry::close);
    Database database =
        opened(Database.open(config.database().address(), config.database().store()));
    Posthorn.Builder builder =
        Posthorn.inOneProcess(database.store(), database.transactions())
            .relay(config.relay()::applyTo);
    config
        .senders()
        .forEach(sender -> builder.sender(sender.name(), make(sender), sender.handler()));
    config.routes().forEach(builder::route);
    config.cloudEventsSource().ifPresent(builder::cloudEvents);
    PosthornMetrics metrics = new PosthornMetrics(registry);
    Posthorn built = opened(metrics.addTo(builder).build());
    metrics.bind(built);
    opened(metrics);
    bindProcess();
    return built;
  }

  private Sender make(SenderConfig config) {
    Sender sender = config.make().get();
    if (sender instanceof AutoCloseable closeable) {
      opened(closeable);
    }
    return sender;
  }

  private void bindProcess() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    opened(gc());
  }

  private JvmGcMetrics gc() {
    JvmGcMetrics gc = new JvmGcMetrics();
    gc.bindTo(registry);
    return gc;
  }

  private JdkWebServer serve() {
    JdkWebServer.Builder builder =
        JdkWebServer.builder(config.server().address())
            .mount("/health/live", health::live)
            .mount("/health/ready", health::ready)
            .mount("/metrics", this::metrics);
    config.server().admin().ifPresent(admin -> builder.mount(admin.path(), opened(admin(admin))));
    JdkWebServer started = builder.start();
    LOG.log(INFO, "health and metrics are served on port {0}", Integer.toString(started.port()));
    return started;
  }

  /** From the start, so that the first operator who looks sees what led there. */
  private void recordFigures() {
    if (config.server().admin().isPresent()) {
      posthorn.admin().fleet().recent();
    }
  }

  private AdminHttp admin(AdminConfig config) {
    return AdminHttp.builder(new ConfiguredUsers(config.users()))
        .outbox("outbox", posthorn)
        .readOnly(config.readOnly())
        .mask(config.masked().toArray(String[]::new))
        .pages(new Dashboard())
        .build();
  }

  private WebResponse metrics(WebRequest request) {
    return WebResponse.text(200, PROMETHEUS, registry.scrape());
  }

  /** The port of the server. */
  public int port() {
    return server.port();
  }

  /** The outbox, whose relay runs in here. */
  public Posthorn posthorn() {
    return posthorn;
  }

  /**
   * Says that it is not ready any more, waits for deliveries under way, for as long as was
   * configured, hands the partitions over, and closes everything.
   *
   * @return whether everything was handed over
   */
  public boolean stop() {
    health.stopping();
    boolean handedOver = posthorn.stop(config.relay().stopTimeout());
    closeAll();
    return handedOver;
  }

  /** As {@link #stop}. */
  @Override
  public void close() {
    stop();
  }

  private void closeAll() {
    for (AutoCloseable resource = opened.poll(); resource != null; resource = opened.poll()) {
      try {
        resource.close();
      } catch (Exception e) {
        LOG.log(System.Logger.Level.WARNING, "not closed: " + resource.getClass().getName(), e);
      }
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.servers;

import java.util.Map;
import org.apache.qpid.server.SystemLauncher;

/** Runs an AMQP broker in this JVM until it is ended. */
final class QpidMain {

  private QpidMain() {}

  /**
   * @param args where the configuration for the first start is, as a URL, and the file that keeps
   *     it
   */
  public static void main(String[] args) throws Exception {
    new SystemLauncher()
        .startup(
            Map.of(
                "type",
                "JSON",
                "initialConfigurationLocation",
                args[0],
                "storePath",
                args[1],
                "startupLoggedToSystemOut",
                "true"));
  }
}

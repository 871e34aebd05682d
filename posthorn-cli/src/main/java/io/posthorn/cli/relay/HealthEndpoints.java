/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.cli.relay;

import io.posthorn.Posthorn;
import io.posthorn.RelayStatus;
import io.posthorn.admin.http.WebRequest;
import io.posthorn.admin.http.WebResponse;
import java.util.Optional;

/** What Kubernetes and load balancers ask. Says nothing of the database, and nothing about why. */
final class HealthEndpoints {
  private static final String JSON = "application/json";

  private final Posthorn posthorn;
  private volatile boolean stopping;

  HealthEndpoints(Posthorn posthorn) {
    this.posthorn = posthorn;
  }

  /** From now on it is not ready. */
  void stopping() {
    stopping = true;
  }

  /** The process answers: a restart would not help, whatever else may be wrong. */
  WebResponse live(WebRequest request) {
    return WebResponse.text(200, JSON, "{\"status\":\"UP\"}");
  }

  /** The relay may deliver: it is neither about to stop nor cut off from the database. */
  WebResponse ready(WebRequest request) {
    Optional<RelayStatus> status = posthorn.status();
    if (stopping || status.isEmpty()) {
      return down("stopping");
    }
    return status.get().leaseValid()
        ? WebResponse.text(200, JSON, "{\"status\":\"UP\"}")
        : down("no valid lease: the database can't be reached, or the process was frozen");
  }

  private static WebResponse down(String reason) {
    return WebResponse.text(503, JSON, "{\"status\":\"DOWN\",\"reason\":\"%s\"}".formatted(reason));
  }
}

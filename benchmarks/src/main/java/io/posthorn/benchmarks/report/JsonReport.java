/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The figures as a JSON array, one object per subject and workload. */
public final class JsonReport {
  private final Path file;

  public JsonReport(Path file) {
    this.file = file;
  }

  public void write(List<Figures> figures) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    JsonMapper.builder()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .build()
        .writeValue(file, figures.stream().map(JsonReport::object).toList());
  }

  private static Map<String, @Nullable Object> object(Figures figures) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    object.put("subject", figures.subject().label());
    object.put("workload", figures.workload().label());
    object.put("cold", figures.cold());
    object.put("settings", figures.settings());
    object.put("perSecond", figures.perSecond());
    object.put("p50ms", figures.p50ms());
    object.put("p95ms", figures.p95ms());
    object.put("p99ms", figures.p99ms());
    object.put("ratioToLimit", figures.ratioToLimit());
    Map<String, Object> ratios = new LinkedHashMap<>();
    figures.ratios().forEach((limit, ratio) -> ratios.put(limit.label(), ratio));
    object.put("ratios", ratios);
    object.put("lost", figures.lost());
    object.put("duplicated", figures.duplicated());
    object.put("outOfOrder", figures.outOfOrder());
    object.put("failed", figures.failed() != null);
    object.put("failures", figures.failed());
    object.put("more", figures.more());
    object.put("runs", figures.runs());
    return object;
  }
}

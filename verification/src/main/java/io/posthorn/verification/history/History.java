/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.verification.history;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * All that is known of a run.
 *
 * @param receipts those of one life in the order of writing
 */
public record History(
    Truth truth, List<Receipt> receipts, List<Intervention> interventions, Rows rows) {
  private static final String INTERVENTIONS = "interventions-";
  private static final String TRUTH = "truth-";
  private static final String RECEIPTS = "receipts-";
  private static final String QUIET = "quiet-";
  private static final String LOG = "log-";

  /**
   * What is in the tables at the end.
   *
   * @param dead ids of dead letters, by handler
   * @param leftovers rows that should not be there, by table
   * @param intrusions changes by a relay that did not own the partition
   * @param effects of transactional handlers, in the order of writing
   * @param consumed effects of consumers behind a broker, in the order of writing
   */
  public record Rows(
      Map<String, Set<UUID>> dead,
      Map<String, Long> leftovers,
      List<String> intrusions,
      List<Effect> effects,
      List<Effect> consumed) {}

  public static Path truthFile(Path directory, String life) {
    return directory.resolve(TRUTH + life);
  }

  public static Path receiptFile(Path directory, String life) {
    return directory.resolve(RECEIPTS + life);
  }

  public static Path interventionFile(Path directory, String life) {
    return directory.resolve(INTERVENTIONS + life);
  }

  /** It is there when the writers and operators of that life have stopped. */
  public static Path quietFile(Path directory, String life) {
    return directory.resolve(QUIET + life);
  }

  /**
   * Forgets what was noted. Processes that live go on at the beginning of their files.
   *
   * @param alive their lives
   */
  public static void forget(Path directory, Set<String> alive) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        String life = name.substring(name.indexOf('-') + 1);
        boolean noted = Stream.of(TRUTH, RECEIPTS, INTERVENTIONS).anyMatch(name::startsWith);
        if (noted && alive.contains(life)) {
          try (FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE)) {
            open.truncate(0);
          }
        } else if (noted || name.startsWith(QUIET) || (ofOneLife(name) && !alive.contains(life))) {
          Files.delete(file);
        }
      }
    }
  }

  private static boolean ofOneLife(String name) {
    return name.startsWith(LOG) || name.startsWith(VitalsLog.PREFIX);
  }

  /**
   * Reads the files of a directory.
   *
   * @param inDatabase the ids that the business table has
   */
  public static History read(Path directory, Set<UUID> inDatabase, Rows rows) throws IOException {
    Truth.Reader truth = new Truth.Reader(inDatabase);
    List<Receipt> receipts = new ArrayList<>();
    List<Intervention> interventions = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory).sorted()) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.startsWith(TRUTH)) {
          truth.read(wholeLines(file));
        } else if (name.startsWith(RECEIPTS)) {
          String life = name.substring(RECEIPTS.length());
          wholeLines(file).forEach(line -> Receipt.parse(life, line).ifPresent(receipts::add));
        } else if (name.startsWith(INTERVENTIONS)) {
          String life = name.substring(INTERVENTIONS.length());
          interventions.addAll(InterventionLog.parse(life, wholeLines(file)));
        }
      }
    }
    return new History(truth.truth(), List.copyOf(receipts), List.copyOf(interventions), rows);
  }

  /** Without the last line if the process died before its end. */
  private static List<String> wholeLines(Path file) throws IOException {
    String text = Files.readString(file);
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
  }
}

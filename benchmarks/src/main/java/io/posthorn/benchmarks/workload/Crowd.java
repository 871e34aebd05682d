/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.benchmarks.workload;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * W7: several relays in as many JVMs, on a backlog, beside writers, and idle. The writers are in a
 * process of their own, whatever the number of relays.
 */
final class Crowd implements Workload {
  private static final String HEAP = "256m";
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration LONGEST_IDLE = Duration.ofSeconds(10);

  private final int relays;
  private final Backlog backlog = new Backlog();

  Crowd(int relays) {
    this.relays = relays;
  }

  @Override
  public Outcome run(Stage stage, Effort effort, Progress progress) throws Exception {
    Path directory = Files.createTempDirectory("posthorn-crowd-");
    List<ChildJvm> members = new ArrayList<>();
    try {
      for (int i = 0; i < relays; i++) {
        ChildJvm member =
            ChildJvm.start(
                CrowdMember.class,
                List.of(stage.kind().label(), file(directory, i).toString()),
                List.of("-Xmx" + HEAP),
                directory.resolve("relay-" + i + ".log"));
        members.add(member);
        member.send(stage.url());
      }
      return new Session(stage, effort, progress, members, directory).run(backlog);
    } finally {
      members.forEach(ChildJvm::close);
      delete(directory);
    }
  }

  private static Path file(Path directory, int member) {
    return directory.resolve("handled-" + member);
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private record Session(
      Stage stage, Effort effort, Progress progress, List<ChildJvm> members, Path directory) {

    Outcome run(Backlog backlog) throws Exception {
      // Once for nothing, to warm the relays up.
      backlog.fill(stage, effort.messages(), progress);
      drain();
      backlog.fill(stage, effort.messages(), progress);
      Outcome drained = drain();
      Outcome steady = steady();
      return drained.and(steady, stage.subject().keepsOrder());
    }

    private Outcome drain() throws Exception {
      ServerStatistics before = ServerStatistics.read(stage);
      ProcessorTime processorBefore = ProcessorTime.read(stage);
      tellAll("start");
      boolean drained = await(effort.messages(), effort.cut());
      ProcessorTime processor = ProcessorTime.read(stage);
      NumberLog handled = stop();
      TimeUnit.SECONDS.sleep(1); // the server publishes its counters once a second
      ServerStatistics spent = ServerStatistics.read(stage).since(before);
      return processor
          .perMessage(processorBefore, handled.size())
          .addTo(Runs.judgeDrain(stage, effort.messages(), handled, 0))
          .perSecond(Drain.rate(handled))
          .with("drained", drained ? 1 : 0)
          .with("drainStatementsPerMessage", spent.statements() / handled.size())
          .with("drainWalBytesPerMessage", spent.walBytes() / handled.size());
    }

    private Outcome steady() throws Exception {
      stage.clear();
      Writers writers = new Writers(stage, Steady.WRITERS);
      tellAll("start");
      writers.run(effort.duration().dividedBy(2)); // as many JVMs compile as there are relays
      await(writers.committed().size(), Steady.CATCH_UP);
      ServerStatistics before = ServerStatistics.read(stage);
      int committedBefore = writers.committed().size();
      double commits = writers.run(effort.duration());
      int handledAtEnd = count();
      int backlog = writers.committed().size() - handledAtEnd;
      await(writers.committed().size(), Steady.CATCH_UP);
      TimeUnit.SECONDS.sleep(1); // the server publishes its counters once a second
      ServerStatistics spent = ServerStatistics.read(stage).since(before);
      double idle = idleStatements();
      NumberLog handled = stop();
      int messages = writers.committed().size() - committedBefore;
      return Runs.judge(stage, writers, handled)
          .latencies(Latencies.between(writers.committed(), handled))
          .with("steadyCommitsPerSecond", commits)
          .with("steadyBacklogAtEnd", backlog)
          .with("steadyStatementsPerMessage", spent.outboxStatements() / messages)
          .with("steadyWalBytesPerMessage", spent.walBytes() / messages)
          .with("idleStatementsPerSecondAndRelay", idle);
    }

    private double idleStatements() throws Exception {
      ServerStatistics before = ServerStatistics.read(stage);
      long begun = System.nanoTime();
      TimeUnit.NANOSECONDS.sleep(Math.min(LONGEST_IDLE.toNanos(), effort.duration().toNanos()));
      ServerStatistics spent = ServerStatistics.read(stage).since(before);
      return spent.statements() * 1e9 / (System.nanoTime() - begun) / members.size();
    }

    private boolean await(long messages, Duration patience) throws Exception {
      long end = System.nanoTime() + patience.toNanos();
      int handled = count();
      while (handled < messages) {
        if (System.nanoTime() > end) {
          return false;
        }
        TimeUnit.MILLISECONDS.sleep(20);
        progress.say(
            "%,d of %,d handled by %d relays".formatted(handled, messages, members.size()));
        handled = count();
      }
      return true;
    }

    private int count() throws Exception {
      int handled = 0;
      for (ChildJvm member : members) {
        handled += Integer.parseInt(member.ask("count", PATIENCE));
      }
      return handled;
    }

    private NumberLog stop() throws Exception {
      tellAll("stop");
      NumberLog handled = new NumberLog();
      for (int i = 0; i < members.size(); i++) {
        try (DataInputStream input =
            new DataInputStream(
                new BufferedInputStream(Files.newInputStream(file(directory, i))))) {
          handled.addAll(NumberLog.readFrom(input));
        }
      }
      return handled;
    }

    /** All at the same time, as a fleet would. */
    private void tellAll(String command) throws Exception {
      for (ChildJvm member : members) {
        member.send(command);
      }
      for (ChildJvm member : members) {
        if (member.poll(PATIENCE) == null) {
          throw new IOException("a relay did not " + command + " within " + PATIENCE);
        }
      }
    }
  }
}

/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.statemachine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import io.posthorn.jdbc.fixture.TestDatabase;
import io.posthorn.jdbc.statemachine.RowLog.Change;
import io.posthorn.spi.DeferReason;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * docs/state-machine.md tells the truth: its moves are those that triggers see in the tables while
 * stories are played in which everything happens that can happen to a message.
 */
class StateMachineDbTest {
  private static final List<Story.Book> BOOKS =
      List.of(
          new DeliveryStories(),
          new DeferredStories(),
          new UnknownTypeStories(),
          new PeopleStories(),
          new ChanceStories());

  private final TestDatabase database = TestDatabase.postgres();
  private Picture picture;
  private RowLog log;

  @BeforeEach
  void readPicture() throws Exception {
    picture = Picture.read();
    database.store().open();
    log = RowLog.createIn(database);
  }

  @AfterEach
  void closeDatabase() {
    database.close();
  }

  @Test
  void thePictureShowsExactlyTheMovesThatHappen() throws Exception {
    Set<Move> seen = new TreeSet<>();
    Map<Move, String> notDrawn = new LinkedHashMap<>();
    for (Story.Book book : BOOKS) {
      for (Map.Entry<String, Story> story : book.stories().entrySet()) {
        String name = book.getClass().getSimpleName() + ", " + story.getKey();
        play(name, story.getValue())
            .forEach(
                (move, changes) -> {
                  seen.add(move);
                  if (!picture.drawn().contains(move)) {
                    notDrawn.putIfAbsent(move, told(move, name, changes));
                  }
                });
      }
    }
    Set<Move> neverSeen = new TreeSet<>(picture.drawn());
    neverSeen.removeAll(seen);

    assertSoftly(
        softly -> {
          softly
              .assertThat(notDrawn.values())
              .as("moves that happen but are not in the picture")
              .isEmpty();
          softly.assertThat(neverSeen).as("moves of the picture that never happen").isEmpty();
        });
  }

  private Map<Move, List<Change>> play(String name, Story story) throws Exception {
    log.clear();
    try (Stage stage = new Stage(database)) {
      story.play(stage);
      stage.stopAll();
      return SeenMoves.in(log.changes());
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("the story was not played to its end: " + name, e);
    }
  }

  private static String told(Move move, String story, List<Change> changes) {
    String lines = changes.stream().map(Change::toString).collect(Collectors.joining("\n  "));
    return "%s, in the story \"%s\":\n  %s\n".formatted(move, story, lines);
  }

  @Test
  void theTableListsTheMovesOfThePicture() {
    assertThat(picture.listed())
        .as("moves of the table, compared with those of the picture")
        .containsExactlyElementsOf(picture.drawn());
  }

  @Test
  void thePictureHasAllStatesAndEachReasonIsOne() {
    assertThat(picture.states()).containsExactlyInAnyOrderElementsOf(EnumSet.allOf(State.class));
    assertThat(EnumSet.allOf(State.class))
        .extracting(State::name)
        .contains(
            EnumSet.allOf(DeferReason.class).stream()
                .map(DeferReason::name)
                .toArray(String[]::new));
  }

  @Test
  void allTablesThatHoldMessagesAreWatchedAndNamed() throws Exception {
    List<String> tables = new ArrayList<>();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name) WHERE column_name = 'payload' AND table_schema = current_schema() AND table_type = 'BASE TABLE'")) {
      while (row.next()) {
        tables.add(row.getString(1));
      }
    }
    assertThat(tables).containsExactlyInAnyOrderElementsOf(RowLog.TABLES);
    assertThat(picture.text()).contains(tables);
  }
}

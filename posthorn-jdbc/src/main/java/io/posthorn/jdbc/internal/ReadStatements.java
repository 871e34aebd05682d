/*
 * Copyright 2026 the Posthorn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.posthorn.jdbc.internal;

import io.posthorn.jdbc.Dialect;
import io.posthorn.spi.ReadResult;
import io.posthorn.spi.RelayStore.ReadRequest;
import io.posthorn.spi.RelayStore.ReadRequest.Ask;
import io.posthorn.spi.RelayStore.ReadRequest.Slice;
import io.posthorn.spi.StoredMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads ready rows. Locks nothing: ownership makes the relay's memory authoritative. */
final class ReadStatements {
  private static final String NO_HORIZON =
      "SELECT 0, NULL::bigint, CASE WHEN ? THEN NULL::bigint END";

  private final Dialect dialect;
  private final Tables tables;
  private volatile @Nullable String horizon; // made by the first read
  private final String publishers;
  private final ServerHistory history;
  private final Optional<Gates> gates;
  private final Optional<TransactionHorizon> running;
  private final Optional<ListedReads> listed;
  private final Map<Integer, String> readsByShape = new ConcurrentHashMap<>();
  private final Map<Integer, String> sliceByHandlers = new ConcurrentHashMap<>();
  private volatile boolean sizesDiffer; // by the last read: bytes have to be counted

  ReadStatements(Dialect dialect, Tables tables, ServerHistory history) {
    this.dialect = dialect;
    this.tables = tables;
    this.history = history;
    this.listed =
        dialect.findsRowsByLists()
            ? Optional.of(new ListedReads(dialect, tables, this::laneHeads))
            : Optional.empty();
    this.gates =
        dialect
            .enterGate(tables.gate())
            .or(() -> dialect.enterGateBefore(tables.gate()))
            .map(any -> new Gates(dialect, tables));
    this.running = dialect.horizon(tables.seq()).map(TransactionHorizon::new);
    this.publishers = dialect.publishers(tables.message()).map(sql -> sql + ";\n").orElse("");
  }

  ReadResult read(Connection connection, ReadRequest request) throws SQLException {
    history.readBegins();
    return dialect.hasArrays()
        ? readByArrays(connection, request)
        : readBySlice(connection, request);
  }

  /**
   * Sent with the rows' query, in one round trip, before it: what has ended by then is visible to
   * the rows' query. It also brings what IndexedQuery is about.
   */
  private String horizon(Connection connection) throws SQLException {
    String known = horizon;
    if (known != null) {
      return known;
    }
    String made =
        "SELECT h.*, %s%s FROM (%s) AS h(oldest, drawn, marker);\n"
            .formatted(
                history.columns(connection),
                Stream.of(dialect.plannedOnce(), dialect.orderedScans(true))
                    .flatMap(Optional::stream)
                    .map(settings -> ", " + settings)
                    .collect(Collectors.joining()),
                dialect.horizon(tables.seq()).orElse(NO_HORIZON));
    horizon = made;
    return made;
  }

  /**
   * The first deferred seq of a row's key for each of some handlers, from the handler's floor on.
   */
  private String laneHeads(int handlers) {
    return ", (SELECT (SELECT min(d.seq) FROM %s d WHERE d.partition_no = f.partition_no AND d.handler = f.handler AND d.message_key = m.message_key AND d.in_lane = %s) FROM %s f WHERE f.partition_no = m.partition_no AND f.handler = ?)"
        .formatted(tables.deferred(), dialect.literal(true), tables.deferredFloor())
        .repeat(handlers);
  }

  // --- with arrays

  /**
   * Served by the primary key: one index scan for each partition. Known rows are left out by a
   * sub-select, which is hashed once; a comparison with ALL of an array would walk the array for
   * each row. The length of a payload is known without fetching it.
   *
   * <p>Rows and bytes are counted in the order of the slices, which the nested loop keeps. That
   * takes a window, which copies each row; so it is left out as long as no row is larger than an
   * equal share of the bytes. Of a larger one only the size is told.
   *
   * <p>A handler's floor is looked up once for each partition, its limit of one row sees to that.
   * With it a lane head costs one probe of the lane index, and none in the other partitions.
   */
  private String slices(int handlers, boolean counted) {
    StringBuilder floors = new StringBuilder();
    StringBuilder columns = new StringBuilder();
    StringBuilder heads = new StringBuilder();
    for (int i = 0; i < handlers; i++) {
      floors.append(
          """
           LEFT JOIN LATERAL (
             SELECT handler, seq_floor FROM %2$s WHERE partition_no = p.part AND handler = ? LIMIT 1) f%1$d ON p.lanes
          """
              .formatted(i, tables.deferredFloor()));
      columns.append(", f%1$d.handler AS handler%1$d, f%1$d.seq_floor AS floor%1$d".formatted(i));
      heads.append(
          counted
              ? laneHead("m.handler" + i, "m.floor" + i)
              : laneHead("f%d.handler".formatted(i), "f%d.seq_floor".formatted(i)));
    }
    String slices =
        """
        FROM unnest(?::smallint[], ?::bigint[], ?::integer[], ?::boolean[]) AS p(part, after_seq, most, lanes)
        %s CROSS JOIN LATERAL (
           SELECT %s, %s AS bytes, %s AS place FROM %s WHERE partition_no = p.part AND seq > p.after_seq
              AND seq NOT IN (SELECT unnest(?::bigint[])) ORDER BY seq LIMIT p.most)"""
            .formatted(
                floors,
                counted ? Rows.readyColumns(dialect) : Rows.readyColumnsUpToSize(dialect),
                Rows.bytes(dialect),
                dialect.rowPlace(),
                tables.message());
    return counted
        ? """
          SELECT m.*%s FROM (
            SELECT r.*, sum(r.bytes) OVER (ROWS UNBOUNDED PRECEDING) AS bytes_so_far%s %s r) m
           WHERE m.bytes_so_far - m.bytes < ? LIMIT ?
          """
            .formatted(heads, columns, slices)
        : "SELECT m.*%s %s m LIMIT ?".formatted(heads, slices);
  }

  private String laneHead(String handler, String floor) {
    return ", CASE WHEN %s IS NOT NULL THEN (SELECT d.seq FROM %s d WHERE %s LIMIT 1) END"
        .formatted(
            floor,
            tables.deferred(),
            LaneWake.laneFrom("d", "m.partition_no", handler, "m.message_key", floor));
  }

  /** The whole text, once for each shape: it is the driver's key to what is prepared. */
  private String text(Connection connection, int handlers, boolean counted, boolean asksPublishers)
      throws SQLException {
    int shape = handlers * 4 + (counted ? 2 : 0) + (asksPublishers ? 1 : 0);
    String text = readsByShape.get(shape);
    if (text == null) {
      text = horizon(connection) + (asksPublishers ? publishers : "") + slices(handlers, counted);
      readsByShape.put(shape, text);
    }
    return text;
  }

  private ReadResult readByArrays(Connection connection, ReadRequest request) throws SQLException {
    Optional<ReadResult> result =
        sizesDiffer ? Optional.empty() : readByArrays(connection, request, false);
    return result.isPresent()
        ? result.get()
        : readByArrays(connection, request, true).orElseThrow();
  }

  /**
   * @return empty if a row is larger than its share, and bytes were not counted
   */
  private Optional<ReadResult> readByArrays(
      Connection connection, ReadRequest request, boolean counted) throws SQLException {
    boolean asksPublishers = request.ask() == Ask.MARK_AND_PUBLISHERS && !publishers.isEmpty();
    String text = text(connection, request.lanes().handlers().size(), counted, asksPublishers);
    try (PreparedStatement read = connection.prepareStatement(text)) {
      dialect.prepareAtOnce(read);
      bind(connection, read, request, counted);
      read.execute();
      long oldest;
      ServerHistory.Run run;
      ReadResult.Mark mark;
      try (ResultSet told = read.getResultSet()) {
        told.next();
        oldest = told.getLong(1);
        long drawn = told.getLong(2);
        mark = told.wasNull() ? null : new ReadResult.Mark(drawn, told.getLong(3));
        run = new ServerHistory.Run(told.getLong(4), told.getLong(5));
      }
      Set<String> running = asksPublishers ? publishers(read) : null;
      read.getMoreResults();
      try (ResultSet rows = read.getResultSet()) {
        int handlers = request.lanes().handlers().size();
        Collected collected =
            new Collected(request, Rows.READY_COLUMNS + (counted ? 4 + 2 * handlers : 3));
        boolean larger = false;
        while (rows.next() && (counted || !larger)) {
          larger |= rows.getLong(Rows.READY_COLUMNS + 1) > share(request);
          collected.add(rows, rows.getString(Rows.READY_COLUMNS + 2));
        }
        sizesDiffer = larger;
        return larger && !counted
            ? Optional.empty()
            : Optional.of(
                collected.result(history.serverOf(connection, run), oldest, mark, running));
      }
    }
  }

  /** What each row of a read may have if all have the same. */
  private static long share(ReadRequest request) {
    return request.maxBytes() / request.maxRows();
  }

  private static Set<String> publishers(PreparedStatement read) throws SQLException {
    Set<String> running = new HashSet<>();
    read.getMoreResults();
    try (ResultSet rows = read.getResultSet()) {
      while (rows.next()) {
        running.add(rows.getString(1));
      }
    }
    return running;
  }

  private static void bind(
      Connection connection, PreparedStatement read, ReadRequest request, boolean counted)
      throws SQLException {
    // The parameters follow the order of their places in the text.
    int i = 1;
    read.setBoolean(i++, request.ask() != Ask.NOTHING);
    int count = request.slices().size();
    Short[] partitions = new Short[count];
    Long[] after = new Long[count];
    Integer[] limits = new Integer[count];
    Boolean[] lanes = new Boolean[count];
    for (int slice = 0; slice < count; slice++) {
      partitions[slice] = (short) request.slices().get(slice).partition();
      after[slice] = request.slices().get(slice).afterSeq();
      limits[slice] = request.slices().get(slice).limit();
      lanes[slice] = request.lanes().partitions().contains((int) partitions[slice]);
    }
    read.setArray(i++, connection.createArrayOf("smallint", partitions));
    read.setArray(i++, connection.createArrayOf("bigint", after));
    read.setArray(i++, connection.createArrayOf("integer", limits));
    read.setArray(i++, connection.createArrayOf("boolean", lanes));
    for (String handler : request.lanes().handlers()) {
      read.setString(i++, handler);
    }
    for (int column = 0; column < Rows.SIZED_COLUMNS && !counted; column++) {
      read.setLong(i++, share(request));
    }
    read.setArray(i++, connection.createArrayOf("bigint", BulkStatements.boxed(request.known())));
    if (counted) {
      read.setLong(i++, request.maxBytes());
    }
    read.setInt(i, request.maxRows());
  }

  /** What a read returns, as it comes in. */
  final class Collected {
    private final ReadRequest request;
    private final int firstHead;
    private final List<Row> rows = new ArrayList<>();
    private long bytes;

    @SuppressWarnings("ArrayRecordComponent") // made for one read, never compared
    private record Row(StoredMessage message, long @Nullable [] heads) {}

    /**
     * @param firstHead the first column of the lane heads
     */
    Collected(ReadRequest request, int firstHead) {
      this.request = request;
      this.firstHead = firstHead;
    }

    /**
     * @param place null if rows are found by their keys only
     */
    void add(ResultSet row, @Nullable String place) throws SQLException {
      long[] heads = null;
      int handlers = request.lanes().handlers().size();
      if (handlers > 0) {
        heads = new long[handlers];
        for (int i = 0; i < heads.length; i++) {
          long head = row.getLong(firstHead + i);
          heads[i] = row.wasNull() ? ReadResult.NO_HEAD : head;
        }
      }
      rows.add(new Row(Rows.ready(dialect, row, place), heads));
      bytes += row.getLong(Rows.READY_COLUMNS + 1);
    }

    int size() {
      return rows.size();
    }

    List<StoredMessage> messages() {
      return rows.stream().map(Row::message).toList();
    }

    void leaveOut(Predicate<StoredMessage> which) {
      rows.removeIf(row -> which.test(row.message));
    }

    long highest() {
      return rows.stream().mapToLong(row -> row.message.seq()).max().orElse(0);
    }

    boolean isCut() {
      return rows.size() >= request.maxRows() || bytes >= request.maxBytes();
    }

    /** Rows in seq order, whatever their partition. */
    ReadResult result(
        ReadResult.Server server,
        long oldestRunning,
        ReadResult.@Nullable Mark mark,
        @Nullable Set<String> running) {
      rows.sort(Comparator.comparingLong(row -> row.message.seq()));
      List<StoredMessage> messages = new ArrayList<>(rows.size());
      List<long[]> heads = new ArrayList<>(request.lanes().handlers().isEmpty() ? 0 : rows.size());
      for (Row row : rows) {
        messages.add(row.message);
        if (row.heads != null) {
          heads.add(row.heads);
        }
      }
      return new ReadResult(messages, heads, isCut(), server, oldestRunning, mark, running);
    }
  }

  // --- without arrays

  private String slice(int handlers) {
    return sliceByHandlers.computeIfAbsent(
        handlers,
        count ->
            "SELECT m.*%s FROM (SELECT %s, %s AS bytes FROM %s WHERE partition_no = ? AND seq > ? ORDER BY seq %s) m ORDER BY m.seq"
                .formatted(
                    laneHeads(count),
                    Rows.readyColumns(dialect),
                    Rows.bytes(dialect),
                    tables.message(),
                    dialect.firstRows("?")));
  }

  private ReadResult readBySlice(Connection connection, ReadRequest request) throws SQLException {
    long[] known = request.known().clone();
    Arrays.sort(known);
    Collected collected = new Collected(request, Rows.READY_COLUMNS + 2);
    TransactionHorizon.@Nullable Told told =
        running.isPresent() ? running.get().ask(connection, request) : null;
    long oldest =
        told != null ? told.oldest() : gates.isPresent() ? gates.get().oldest(connection) : 0;
    if (listed.isPresent()) {
      listed.get().read(connection, request, collected);
    } else {
      try (PreparedStatement read =
          connection.prepareStatement(slice(request.lanes().handlers().size()))) {
        for (Slice slice : request.slices()) {
          if (!collected.isCut()) {
            readSlice(read, request, slice, known, collected);
          }
        }
      }
    }
    ReadResult.Mark mark =
        told != null
            ? told.mark()
            : gates.map(any -> any.mark(request, collected.highest())).orElse(null);
    return collected.result(ReadResult.Server.UNKNOWN, oldest, mark, null);
  }

  private static void readSlice(
      PreparedStatement read, ReadRequest request, Slice slice, long[] known, Collected collected)
      throws SQLException {
    int i = 1;
    for (String handler : request.lanes().handlers()) {
      read.setString(i++, handler);
    }
    read.setInt(i++, slice.partition());
    read.setLong(i++, slice.afterSeq());
    read.setInt(i, (int) Math.min(Integer.MAX_VALUE, (long) slice.limit() + known.length));
    int end = (int) Math.min(Integer.MAX_VALUE, (long) collected.size() + slice.limit());
    try (ResultSet rows = read.executeQuery()) {
      while (collected.size() < end && !collected.isCut() && rows.next()) {
        if (Arrays.binarySearch(known, rows.getLong(2)) < 0) {
          collected.add(rows, null);
        }
      }
    }
  }
}

-- Posthorn, version 1 of the tables, for MariaDB. Run it by hand, with Flyway or with Liquibase.
-- MariaDB commits each statement by itself, so the script can be run again where it was cut off.
-- The number of partitions (64) is fixed here: change it before the first message, never after.
-- All times are UTC. Ids are the 16 bytes of a UUID: CAST(id AS UUID) shows one, from 10.7 on.

CREATE TABLE IF NOT EXISTS outbox_message (
  partition_no   smallint     NOT NULL,
  -- The order of messages.
  seq            bigint       NOT NULL AUTO_INCREMENT,
  id             binary(16)   NOT NULL,
  type           varchar(255) NOT NULL,
  aggregate_type varchar(255),
  message_key    varchar(255),
  tenant         varchar(255),
  headers        longtext,
  content_type   varchar(255) NOT NULL,
  payload        longblob,
  occurred_at    datetime(6)  NOT NULL,
  expires_at     datetime(6),
  created_at     datetime(6)  NOT NULL,
  PRIMARY KEY (partition_no, seq),
  -- A column that fills itself must lead an index.
  KEY outbox_message_seq_ix (seq),
  CONSTRAINT outbox_message_partition_ck CHECK (partition_no >= 0)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Who draws a seq locks one of these rows to the end of the transaction. Nobody changes them.
CREATE TABLE IF NOT EXISTS outbox_gate (
  gate_no smallint PRIMARY KEY
) ENGINE = InnoDB;
INSERT IGNORE INTO outbox_gate (gate_no)
WITH RECURSIVE gates (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM gates WHERE n < 63) SELECT n FROM gates;

CREATE TABLE IF NOT EXISTS outbox_deferred (
  partition_no   smallint     NOT NULL,
  seq            bigint       NOT NULL,
  handler        varchar(100) NOT NULL,
  id             binary(16)   NOT NULL,
  type           varchar(255) NOT NULL,
  aggregate_type varchar(255),
  message_key    varchar(255),
  tenant         varchar(255),
  headers        longtext,
  content_type   varchar(255) NOT NULL,
  payload        longblob,
  occurred_at    datetime(6)  NOT NULL,
  expires_at     datetime(6),
  created_at     datetime(6)  NOT NULL,
  in_lane        boolean      NOT NULL,
  reason         varchar(20)  NOT NULL,
  attempts       integer      NOT NULL,
  due_at         datetime(6),
  last_error     longtext,
  deferred_at    datetime(6)  NOT NULL,
  PRIMARY KEY (partition_no, handler, seq),
  -- A lane's rows in order.
  KEY outbox_deferred_lane_ix (partition_no, handler, message_key, in_lane, seq),
  -- Rows that are looked for by their time.
  KEY outbox_deferred_due_ix (partition_no, handler, due_at, seq),
  -- Rows that nobody takes where they are, by type.
  KEY outbox_deferred_unclaimed_ix (partition_no, reason, handler, type, seq),
  CONSTRAINT outbox_deferred_partition_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_deferred_reason_ck CHECK (reason IN ('RETRYING', 'HELD', 'WAITING', 'DELAYED', 'SUSPECT', 'ELSEWHERE', 'UNCLAIMED', 'SETTLED', 'BLOCKED')),
  CONSTRAINT outbox_deferred_attempts_ck CHECK (attempts >= 0)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS outbox_dead (
  partition_no   smallint     NOT NULL,
  seq            bigint       NOT NULL,
  handler        varchar(100) NOT NULL,
  id             binary(16)   NOT NULL,
  type           varchar(255) NOT NULL,
  aggregate_type varchar(255),
  message_key    varchar(255),
  tenant         varchar(255),
  headers        longtext,
  content_type   varchar(255) NOT NULL,
  payload        longblob,
  occurred_at    datetime(6)  NOT NULL,
  expires_at     datetime(6),
  created_at     datetime(6)  NOT NULL,
  attempts       integer      NOT NULL,
  error          longtext     NOT NULL,
  died_at        datetime(6)  NOT NULL,
  PRIMARY KEY (seq, handler),
  -- What operators look for.
  KEY outbox_dead_handler_ix (handler, seq),
  KEY outbox_dead_key_ix (message_key, seq, handler),
  KEY outbox_dead_id_ix (id),
  CONSTRAINT outbox_dead_partition_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_dead_attempts_ck CHECK (attempts >= 0)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS outbox_history (
  partition_no   smallint     NOT NULL,
  seq            bigint       NOT NULL,
  handler        varchar(100) NOT NULL,
  id             binary(16)   NOT NULL,
  type           varchar(255) NOT NULL,
  aggregate_type varchar(255),
  message_key    varchar(255),
  tenant         varchar(255),
  headers        longtext,
  content_type   varchar(255) NOT NULL,
  payload        longblob,
  occurred_at    datetime(6)  NOT NULL,
  expires_at     datetime(6),
  created_at     datetime(6)  NOT NULL,
  delivered_at   datetime(6)  NOT NULL,
  resolved_by    varchar(100),
  resolved_why   varchar(1000),
  PRIMARY KEY (seq, handler, delivered_at),
  KEY outbox_history_age_ix (delivered_at),
  CONSTRAINT outbox_history_partition_ck CHECK (partition_no >= 0)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS outbox_idempotency (
  idempotency_key varchar(255) PRIMARY KEY,
  message_id      binary(16)   NOT NULL,
  created_at      datetime(6)  NOT NULL,
  KEY outbox_idempotency_age_ix (created_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS outbox_pause (
  kind      varchar(20)  NOT NULL,
  name      varchar(100) NOT NULL,
  paused_at datetime(6)  NOT NULL,
  PRIMARY KEY (kind, name),
  CONSTRAINT outbox_pause_kind_ck CHECK (kind IN ('HANDLER', 'PARTITION'))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- What operators did. Nothing deletes these rows.
CREATE TABLE IF NOT EXISTS outbox_action (
  id          binary(16)    NOT NULL,
  kind        varchar(20)   NOT NULL,
  who         varchar(100)  NOT NULL,
  why         varchar(1000),
  target      longtext      NOT NULL,
  state       varchar(10)   NOT NULL,
  entries     bigint        NOT NULL,
  -- Where an action that is not done goes on.
  place       varchar(1000),
  -- What an edit replaced.
  old_headers longtext,
  old_payload longblob,
  started_at  datetime(6)   NOT NULL,
  changed_at  datetime(6)   NOT NULL,
  PRIMARY KEY (id),
  KEY outbox_action_time_ix (started_at, id),
  CONSTRAINT outbox_action_state_ck CHECK (state IN ('RUNNING', 'DONE', 'STOPPED'))
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Relays alive. The row is the fence: settles lock it, expulsion deletes it, nobody updates it.
CREATE TABLE IF NOT EXISTS outbox_instance (
  id          varchar(100) NOT NULL,
  incarnation bigint       NOT NULL,
  joined_at   datetime(6)  NOT NULL,
  handlers    longtext     NOT NULL,
  PRIMARY KEY (id, incarnation)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Until when each of them is, as it said itself, by the clock of the database.
CREATE TABLE IF NOT EXISTS outbox_heartbeat (
  id          varchar(100) NOT NULL,
  incarnation bigint       NOT NULL,
  good_until  datetime(6)  NOT NULL,
  lease_ms    bigint       NOT NULL,
  retired     boolean      NOT NULL,
  -- What the relay is doing, as it said itself with this heartbeat.
  report      text,
  PRIMARY KEY (id, incarnation)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- Handlers of instances that are gone, remembered for a while.
CREATE TABLE IF NOT EXISTS outbox_gone (
  handler     varchar(100) NOT NULL,
  instance_id varchar(100) NOT NULL,
  incarnation bigint       NOT NULL,
  types       longtext     NOT NULL,
  gone_at     datetime(6)  NOT NULL,
  PRIMARY KEY (handler, instance_id, incarnation)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS outbox_partition (
  partition_no      smallint PRIMARY KEY,
  owner_id          varchar(100),
  owner_incarnation bigint,
  epoch             bigint  NOT NULL,
  crashes           integer NOT NULL,
  floor_seq         bigint  NOT NULL DEFAULT 0,
  CONSTRAINT outbox_partition_number_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_partition_crashes_ck CHECK (crashes >= 0)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
INSERT IGNORE INTO outbox_partition (partition_no, epoch, crashes)
WITH RECURSIVE digits (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM digits WHERE n < 31)
SELECT high.n * 32 + low.n, 0, 0 FROM digits high CROSS JOIN digits low WHERE high.n * 32 + low.n <= GREATEST(0, 63);

-- Handlers that have, or had, rows in outbox_deferred, and where reads of these rows begin.
CREATE TABLE IF NOT EXISTS outbox_deferred_floor (
  partition_no smallint     NOT NULL,
  handler      varchar(100) NOT NULL,
  seq_floor    bigint       NOT NULL,
  due_floor    datetime(6)  NOT NULL DEFAULT '1000-01-01 00:00:00',
  PRIMARY KEY (partition_no, handler)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
-- Delayed messages are for no handler yet.
INSERT IGNORE INTO outbox_deferred_floor (partition_no, handler, seq_floor) SELECT partition_no, '*', 0 FROM outbox_partition;

-- For operators: what waits, died or was delivered, and why, with payloads as text. Nothing depends on these views.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW outbox_ready_view AS
SELECT m.partition_no, m.seq, LOWER(INSERT(INSERT(INSERT(INSERT(HEX(m.id), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) AS message_id, m.type, m.message_key, m.tenant, m.aggregate_type,
       CASE WHEN s.name IS NOT NULL THEN 'the partition is paused'
            WHEN p.owner_id IS NULL THEN 'no relay owns the partition'
            WHEN h.good_until >= UTC_TIMESTAMP(6) THEN CONCAT('for relay ', p.owner_id)
            ELSE CONCAT('the lease of relay ', p.owner_id, ' has ended') END AS why,
       m.created_at, TIMESTAMPDIFF(SECOND, m.created_at, UTC_TIMESTAMP(6)) AS age_seconds, m.occurred_at, m.expires_at,
       m.headers, m.content_type,
       CASE WHEN CONVERT(CONVERT(m.payload USING utf8mb4) USING binary) = m.payload THEN CONVERT(m.payload USING utf8mb4)
            ELSE CONCAT(LENGTH(m.payload), ' bytes that are not text: 0x', HEX(LEFT(m.payload, 100))) END AS payload
  FROM outbox_message m
  LEFT JOIN outbox_partition p ON p.partition_no = m.partition_no
  LEFT JOIN outbox_heartbeat h ON h.id = p.owner_id AND h.incarnation = p.owner_incarnation
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = CAST(m.partition_no AS CHAR);

CREATE OR REPLACE SQL SECURITY INVOKER VIEW outbox_deferred_view AS
SELECT d.partition_no, d.seq, LOWER(INSERT(INSERT(INSERT(INSERT(HEX(d.id), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) AS message_id, d.type, d.message_key, d.tenant, d.aggregate_type, d.handler, d.reason,
       CASE WHEN d.reason = 'BLOCKED' THEN 'not a message: keeps its lane blocked until an operator decides'
            WHEN d.reason = 'SETTLED' THEN 'handled, about to be deleted'
            WHEN s.name IS NOT NULL THEN 'the partition is paused'
            WHEN t.name IS NOT NULL THEN 'the handler is paused'
            WHEN d.reason = 'RETRYING' AND d.attempts = 0 THEN 'to be delivered again'
            WHEN d.reason = 'RETRYING' THEN CONCAT('attempt ', CAST(d.attempts AS CHAR), ' failed, the next one follows at due_at')
            WHEN d.reason = 'HELD' THEN 'waits for an earlier message of its key'
            WHEN d.reason = 'WAITING' THEN 'the handler cannot take it yet: busy, destination down, or on another instance only'
            WHEN d.reason = 'DELAYED' THEN 'to be delivered later, as published'
            WHEN d.reason = 'SUSPECT' THEN 'delivered alone, since relays died while they delivered it'
            WHEN d.reason = 'ELSEWHERE' THEN 'only another instance takes the type, or may'
            WHEN d.reason = 'UNCLAIMED' THEN 'no live instance takes the type'
            ELSE d.reason END AS why,
       d.in_lane, d.attempts, d.last_error AS error, d.due_at, TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), d.due_at) AS due_in_seconds,
       d.deferred_at, TIMESTAMPDIFF(SECOND, d.deferred_at, UTC_TIMESTAMP(6)) AS deferred_seconds, d.created_at, d.occurred_at, d.expires_at,
       d.headers, d.content_type,
       CASE WHEN CONVERT(CONVERT(d.payload USING utf8mb4) USING binary) = d.payload THEN CONVERT(d.payload USING utf8mb4)
            ELSE CONCAT(LENGTH(d.payload), ' bytes that are not text: 0x', HEX(LEFT(d.payload, 100))) END AS payload
  FROM outbox_deferred d
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = CAST(d.partition_no AS CHAR)
  LEFT JOIN outbox_pause t ON t.kind = 'HANDLER' AND t.name = d.handler;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW outbox_dead_view AS
SELECT x.partition_no, x.seq, LOWER(INSERT(INSERT(INSERT(INSERT(HEX(x.id), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) AS message_id, x.type, x.message_key, x.tenant, x.aggregate_type, x.handler, x.attempts, x.error,
       CASE WHEN b.seq IS NULL THEN 'no' ELSE 'yes' END AS blocks_lane,
       x.died_at, TIMESTAMPDIFF(SECOND, x.died_at, UTC_TIMESTAMP(6)) AS dead_seconds, x.created_at, x.occurred_at, x.expires_at,
       x.headers, x.content_type,
       CASE WHEN CONVERT(CONVERT(x.payload USING utf8mb4) USING binary) = x.payload THEN CONVERT(x.payload USING utf8mb4)
            ELSE CONCAT(LENGTH(x.payload), ' bytes that are not text: 0x', HEX(LEFT(x.payload, 100))) END AS payload
  FROM outbox_dead x
  LEFT JOIN outbox_deferred b ON b.partition_no = x.partition_no AND b.handler = x.handler AND b.seq = x.seq AND b.reason = 'BLOCKED';

CREATE OR REPLACE SQL SECURITY INVOKER VIEW outbox_history_view AS
SELECT x.partition_no, x.seq, LOWER(INSERT(INSERT(INSERT(INSERT(HEX(x.id), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) AS message_id, x.type, x.message_key, x.tenant, x.aggregate_type, x.handler,
       x.delivered_at, TIMESTAMPDIFF(SECOND, x.delivered_at, UTC_TIMESTAMP(6)) AS delivered_seconds, TIMESTAMPDIFF(SECOND, x.created_at, x.delivered_at) AS took_seconds,
       x.resolved_by, x.resolved_why, x.created_at, x.occurred_at, x.expires_at,
       x.headers, x.content_type,
       CASE WHEN CONVERT(CONVERT(x.payload USING utf8mb4) USING binary) = x.payload THEN CONVERT(x.payload USING utf8mb4)
            ELSE CONCAT(LENGTH(x.payload), ' bytes that are not text: 0x', HEX(LEFT(x.payload, 100))) END AS payload
  FROM outbox_history x;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW outbox_partition_view AS
SELECT p.partition_no, p.owner_id AS owner,
       CASE WHEN s.name IS NOT NULL THEN 'paused'
            WHEN p.owner_id IS NULL THEN 'no owner'
            WHEN h.good_until >= UTC_TIMESTAMP(6) THEN 'owned'
            ELSE 'lease ended' END AS state,
       h.good_until, TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), h.good_until) AS lease_seconds, p.epoch, p.crashes, p.floor_seq
  FROM outbox_partition p
  LEFT JOIN outbox_heartbeat h ON h.id = p.owner_id AND h.incarnation = p.owner_incarnation
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = CAST(p.partition_no AS CHAR);

CREATE TABLE IF NOT EXISTS outbox_schema (
  version         integer     PRIMARY KEY,
  key_hash        varchar(20) NOT NULL,
  -- Programs for this version of the tables, or a newer one, can use them.
  compatible_from integer     NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
INSERT IGNORE INTO outbox_schema (version, key_hash, compatible_from) VALUES (1, 'crc32', 1);

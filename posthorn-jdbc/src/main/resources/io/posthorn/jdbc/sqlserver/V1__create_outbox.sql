-- Posthorn, version 1 of the tables, for SQL Server 2019. Run it by hand, with Flyway or with Liquibase.
-- It was written from Microsoft's documents and has never been run on a server.
-- The database must have READ_COMMITTED_SNAPSHOT ON. Run it in a transaction: it cannot be run again where it was cut off.
-- The number of partitions (64) is fixed here: change it before the first message, never after.
-- All times are UTC. Ids are the 16 bytes of a UUID: CONVERT(char(32), id, 2) shows one.

CREATE TABLE outbox_message (
  partition_no   smallint NOT NULL,
  -- Drawn by the database as it writes the row; one counter for the whole database.
  row_version    rowversion NOT NULL,
  -- The order of messages.
  seq            AS CONVERT(bigint, row_version) PERSISTED NOT NULL,
  id             binary(16) NOT NULL,
  type           nvarchar(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  aggregate_type nvarchar(255) COLLATE Latin1_General_100_BIN2,
  message_key    nvarchar(255) COLLATE Latin1_General_100_BIN2,
  tenant         nvarchar(255) COLLATE Latin1_General_100_BIN2,
  headers        nvarchar(max) COLLATE Latin1_General_100_BIN2,
  content_type   nvarchar(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  payload        varbinary(max),
  occurred_at    datetime2(6) NOT NULL,
  expires_at     datetime2(6),
  created_at     datetime2(6) NOT NULL,
  PRIMARY KEY (partition_no, seq) WITH (ALLOW_PAGE_LOCKS = OFF),
  -- Two texts that differ in spaces at their ends only are equal for SQL Server.
  CONSTRAINT outbox_message_key_ends_with_space_ck CHECK (message_key NOT LIKE N'% '),
  CONSTRAINT outbox_message_partition_ck CHECK (partition_no >= 0)
);
ALTER TABLE outbox_message SET (LOCK_ESCALATION = DISABLE);

CREATE TABLE outbox_deferred (
  partition_no   smallint NOT NULL,
  seq            bigint NOT NULL,
  handler        nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
  id             binary(16) NOT NULL,
  type           nvarchar(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  aggregate_type nvarchar(255) COLLATE Latin1_General_100_BIN2,
  message_key    nvarchar(255) COLLATE Latin1_General_100_BIN2,
  tenant         nvarchar(255) COLLATE Latin1_General_100_BIN2,
  headers        nvarchar(max) COLLATE Latin1_General_100_BIN2,
  content_type   nvarchar(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  payload        varbinary(max),
  occurred_at    datetime2(6) NOT NULL,
  expires_at     datetime2(6),
  created_at     datetime2(6) NOT NULL,
  in_lane        bit NOT NULL,
  reason         nvarchar(20) COLLATE Latin1_General_100_BIN2 NOT NULL,
  attempts       int NOT NULL,
  due_at         datetime2(6),
  last_error     nvarchar(max) COLLATE Latin1_General_100_BIN2,
  deferred_at    datetime2(6) NOT NULL,
  PRIMARY KEY (partition_no, handler, seq) WITH (ALLOW_PAGE_LOCKS = OFF),
  CONSTRAINT outbox_deferred_partition_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_deferred_reason_ck CHECK (reason IN ('RETRYING', 'HELD', 'WAITING', 'DELAYED', 'SUSPECT', 'ELSEWHERE', 'UNCLAIMED', 'SETTLED', 'BLOCKED')),
  CONSTRAINT outbox_deferred_attempts_ck CHECK (attempts >= 0)
);
-- A lane's rows in order.
CREATE INDEX outbox_deferred_lane_ix ON outbox_deferred (partition_no, handler, message_key, in_lane, seq) WITH (ALLOW_PAGE_LOCKS = OFF);
-- Rows that are looked for by their time.
CREATE INDEX outbox_deferred_due_ix ON outbox_deferred (partition_no, handler, due_at, seq) WITH (ALLOW_PAGE_LOCKS = OFF);
-- Rows that nobody takes where they are, by type.
CREATE INDEX outbox_deferred_unclaimed_ix ON outbox_deferred (partition_no, reason, handler, type, seq) WITH (ALLOW_PAGE_LOCKS = OFF);
ALTER TABLE outbox_deferred SET (LOCK_ESCALATION = DISABLE);

CREATE TABLE outbox_dead (
  partition_no   smallint NOT NULL,
  seq            bigint NOT NULL,
  handler        nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
  id             binary(16) NOT NULL,
  type           nvarchar(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  aggregate_type nvarchar(255) COLLATE Latin1_General_100_BIN2,
  message_key    nvarchar(255) COLLATE Latin1_General_100_BIN2,
  tenant         nvarchar(255) COLLATE Latin1_General_100_BIN2,
  headers        nvarchar(max) COLLATE Latin1_General_100_BIN2,
  content_type   nvarchar(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  payload        varbinary(max),
  occurred_at    datetime2(6) NOT NULL,
  expires_at     datetime2(6),
  created_at     datetime2(6) NOT NULL,
  attempts       int NOT NULL,
  error          nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
  died_at        datetime2(6) NOT NULL,
  PRIMARY KEY (seq, handler),
  CONSTRAINT outbox_dead_partition_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_dead_attempts_ck CHECK (attempts >= 0)
);
-- What operators look for.
CREATE INDEX outbox_dead_handler_ix ON outbox_dead (handler, seq) WITH (ALLOW_PAGE_LOCKS = OFF);
CREATE INDEX outbox_dead_key_ix ON outbox_dead (message_key, seq, handler) WITH (ALLOW_PAGE_LOCKS = OFF);
CREATE INDEX outbox_dead_id_ix ON outbox_dead (id) WITH (ALLOW_PAGE_LOCKS = OFF);
ALTER TABLE outbox_dead SET (LOCK_ESCALATION = DISABLE);

CREATE TABLE outbox_history (
  partition_no   smallint NOT NULL,
  seq            bigint NOT NULL,
  handler        nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
  id             binary(16) NOT NULL,
  type           nvarchar(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  aggregate_type nvarchar(255) COLLATE Latin1_General_100_BIN2,
  message_key    nvarchar(255) COLLATE Latin1_General_100_BIN2,
  tenant         nvarchar(255) COLLATE Latin1_General_100_BIN2,
  headers        nvarchar(max) COLLATE Latin1_General_100_BIN2,
  content_type   nvarchar(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
  payload        varbinary(max),
  occurred_at    datetime2(6) NOT NULL,
  expires_at     datetime2(6),
  created_at     datetime2(6) NOT NULL,
  delivered_at   datetime2(6) NOT NULL,
  resolved_by    nvarchar(100) COLLATE Latin1_General_100_BIN2,
  resolved_why   nvarchar(1000) COLLATE Latin1_General_100_BIN2,
  PRIMARY KEY (seq, handler, delivered_at),
  CONSTRAINT outbox_history_partition_ck CHECK (partition_no >= 0)
);
CREATE INDEX outbox_history_age_ix ON outbox_history (delivered_at) WITH (ALLOW_PAGE_LOCKS = OFF);
ALTER TABLE outbox_history SET (LOCK_ESCALATION = DISABLE);

CREATE TABLE outbox_idempotency (
  idempotency_key nvarchar(255) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,
  message_id      binary(16) NOT NULL,
  created_at      datetime2(6) NOT NULL,
  CONSTRAINT outbox_idempotency_key_ends_with_space_ck CHECK (idempotency_key NOT LIKE N'% ')
);
CREATE INDEX outbox_idempotency_age_ix ON outbox_idempotency (created_at) WITH (ALLOW_PAGE_LOCKS = OFF);
ALTER TABLE outbox_idempotency SET (LOCK_ESCALATION = DISABLE);

CREATE TABLE outbox_pause (
  kind      nvarchar(20) COLLATE Latin1_General_100_BIN2 NOT NULL,
  name      nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
  paused_at datetime2(6) NOT NULL,
  PRIMARY KEY (kind, name),
  CONSTRAINT outbox_pause_kind_ck CHECK (kind IN ('HANDLER', 'PARTITION'))
);
ALTER TABLE outbox_pause SET (LOCK_ESCALATION = DISABLE);

-- What operators did. Nothing deletes these rows.
CREATE TABLE outbox_action (
  id          binary(16) NOT NULL PRIMARY KEY,
  kind        nvarchar(20) COLLATE Latin1_General_100_BIN2 NOT NULL,
  who         nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
  why         nvarchar(1000) COLLATE Latin1_General_100_BIN2,
  target      nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
  state       nvarchar(10) COLLATE Latin1_General_100_BIN2 NOT NULL,
  entries     bigint NOT NULL,
  -- Where an action that is not done goes on.
  place       nvarchar(1000) COLLATE Latin1_General_100_BIN2,
  -- What an edit replaced.
  old_headers nvarchar(max) COLLATE Latin1_General_100_BIN2,
  old_payload varbinary(max),
  started_at  datetime2(6) NOT NULL,
  changed_at  datetime2(6) NOT NULL,
  CONSTRAINT outbox_action_state_ck CHECK (state IN ('RUNNING', 'DONE', 'STOPPED'))
);
CREATE INDEX outbox_action_time_ix ON outbox_action (started_at, id) WITH (ALLOW_PAGE_LOCKS = OFF);
ALTER TABLE outbox_action SET (LOCK_ESCALATION = DISABLE);

-- Relays alive. The row is the fence: settles lock it, expulsion deletes it, nobody updates it.
CREATE TABLE outbox_instance (
  id          nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
  incarnation bigint NOT NULL,
  joined_at   datetime2(6) NOT NULL,
  handlers    nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
  PRIMARY KEY (id, incarnation) WITH (ALLOW_PAGE_LOCKS = OFF)
);
ALTER TABLE outbox_instance SET (LOCK_ESCALATION = DISABLE);

-- Until when each of them is, as it said itself, by the clock of the database.
CREATE TABLE outbox_heartbeat (
  id          nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
  incarnation bigint NOT NULL,
  good_until  datetime2(6) NOT NULL,
  lease_ms    bigint NOT NULL,
  retired     bit NOT NULL,
  -- What the relay is doing, as it said itself with this heartbeat.
  report      nvarchar(max) COLLATE Latin1_General_100_BIN2,
  PRIMARY KEY (id, incarnation) WITH (ALLOW_PAGE_LOCKS = OFF)
);
ALTER TABLE outbox_heartbeat SET (LOCK_ESCALATION = DISABLE);

-- Handlers of instances that are gone, remembered for a while.
CREATE TABLE outbox_gone (
  handler     nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
  instance_id nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
  incarnation bigint NOT NULL,
  types       nvarchar(max) COLLATE Latin1_General_100_BIN2 NOT NULL,
  gone_at     datetime2(6) NOT NULL,
  PRIMARY KEY (handler, instance_id, incarnation)
);
ALTER TABLE outbox_gone SET (LOCK_ESCALATION = DISABLE);

CREATE TABLE outbox_partition (
  partition_no      smallint NOT NULL PRIMARY KEY,
  owner_id          nvarchar(100) COLLATE Latin1_General_100_BIN2,
  owner_incarnation bigint,
  epoch             bigint NOT NULL,
  crashes           int NOT NULL,
  floor_seq         bigint NOT NULL DEFAULT 0,
  CONSTRAINT outbox_partition_number_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_partition_crashes_ck CHECK (crashes >= 0)
);
ALTER TABLE outbox_partition SET (LOCK_ESCALATION = DISABLE);
WITH digits (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM digits WHERE n < 31),
     numbers (low, high) AS (SELECT low.n, high.n FROM digits low CROSS JOIN digits high),
     bounds (first, last) AS (SELECT first, last FROM (VALUES (0, 63)) b (first, last))
INSERT INTO outbox_partition (partition_no, epoch, crashes)
SELECT high * 32 + low, 0, 0 FROM numbers CROSS JOIN bounds WHERE high * 32 + low BETWEEN first AND last;

-- Handlers that have, or had, rows in outbox_deferred, and where reads of these rows begin.
CREATE TABLE outbox_deferred_floor (
  partition_no smallint NOT NULL,
  handler      nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
  seq_floor    bigint NOT NULL,
  due_floor    datetime2(6) NOT NULL DEFAULT '1000-01-01T00:00:00',
  PRIMARY KEY (partition_no, handler)
);
ALTER TABLE outbox_deferred_floor SET (LOCK_ESCALATION = DISABLE);
-- Delayed messages are for no handler yet.
INSERT INTO outbox_deferred_floor (partition_no, handler, seq_floor) SELECT partition_no, '*', 0 FROM outbox_partition;

-- For operators: what waits, died or was delivered, and why, with payloads as text in the code page of the database. Nothing depends on these views.
GO
CREATE VIEW outbox_ready_view AS
SELECT m.partition_no, m.seq, LOWER(STUFF(STUFF(STUFF(STUFF(CONVERT(varchar(32), m.id, 2), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) AS message_id, m.type, m.message_key, m.tenant, m.aggregate_type,
       CASE WHEN s.name IS NOT NULL THEN 'the partition is paused'
            WHEN p.owner_id IS NULL THEN 'no relay owns the partition'
            WHEN h.good_until >= SYSUTCDATETIME() THEN CONCAT('for relay ', p.owner_id)
            ELSE CONCAT('the lease of relay ', p.owner_id, ' has ended') END AS why,
       m.created_at, DATEDIFF_BIG(SECOND, m.created_at, SYSUTCDATETIME()) AS age_seconds, m.occurred_at, m.expires_at,
       m.headers, m.content_type,
       CAST(m.payload AS varchar(max)) AS payload
  FROM outbox_message m
  LEFT JOIN outbox_partition p ON p.partition_no = m.partition_no
  LEFT JOIN outbox_heartbeat h ON h.id = p.owner_id AND h.incarnation = p.owner_incarnation
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = CAST(m.partition_no AS varchar(10));
GO
CREATE VIEW outbox_deferred_view AS
SELECT d.partition_no, d.seq, LOWER(STUFF(STUFF(STUFF(STUFF(CONVERT(varchar(32), d.id, 2), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) AS message_id, d.type, d.message_key, d.tenant, d.aggregate_type, d.handler, d.reason,
       CASE WHEN d.reason = 'BLOCKED' THEN 'not a message: keeps its lane blocked until an operator decides'
            WHEN d.reason = 'SETTLED' THEN 'handled, about to be deleted'
            WHEN s.name IS NOT NULL THEN 'the partition is paused'
            WHEN t.name IS NOT NULL THEN 'the handler is paused'
            WHEN d.reason = 'RETRYING' AND d.attempts = 0 THEN 'to be delivered again'
            WHEN d.reason = 'RETRYING' THEN CONCAT('attempt ', CAST(d.attempts AS varchar(10)), ' failed, the next one follows at due_at')
            WHEN d.reason = 'HELD' THEN 'waits for an earlier message of its key'
            WHEN d.reason = 'WAITING' THEN 'the handler cannot take it yet: busy, destination down, or on another instance only'
            WHEN d.reason = 'DELAYED' THEN 'to be delivered later, as published'
            WHEN d.reason = 'SUSPECT' THEN 'delivered alone, since relays died while they delivered it'
            WHEN d.reason = 'ELSEWHERE' THEN 'only another instance takes the type, or may'
            WHEN d.reason = 'UNCLAIMED' THEN 'no live instance takes the type'
            ELSE d.reason END AS why,
       d.in_lane, d.attempts, d.last_error AS error, d.due_at, DATEDIFF_BIG(SECOND, SYSUTCDATETIME(), d.due_at) AS due_in_seconds,
       d.deferred_at, DATEDIFF_BIG(SECOND, d.deferred_at, SYSUTCDATETIME()) AS deferred_seconds, d.created_at, d.occurred_at, d.expires_at,
       d.headers, d.content_type,
       CAST(d.payload AS varchar(max)) AS payload
  FROM outbox_deferred d
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = CAST(d.partition_no AS varchar(10))
  LEFT JOIN outbox_pause t ON t.kind = 'HANDLER' AND t.name = d.handler;
GO
CREATE VIEW outbox_dead_view AS
SELECT x.partition_no, x.seq, LOWER(STUFF(STUFF(STUFF(STUFF(CONVERT(varchar(32), x.id, 2), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) AS message_id, x.type, x.message_key, x.tenant, x.aggregate_type, x.handler, x.attempts, x.error,
       CASE WHEN b.seq IS NULL THEN 'no' ELSE 'yes' END AS blocks_lane,
       x.died_at, DATEDIFF_BIG(SECOND, x.died_at, SYSUTCDATETIME()) AS dead_seconds, x.created_at, x.occurred_at, x.expires_at,
       x.headers, x.content_type,
       CAST(x.payload AS varchar(max)) AS payload
  FROM outbox_dead x
  LEFT JOIN outbox_deferred b ON b.partition_no = x.partition_no AND b.handler = x.handler AND b.seq = x.seq AND b.reason = 'BLOCKED';
GO
CREATE VIEW outbox_history_view AS
SELECT x.partition_no, x.seq, LOWER(STUFF(STUFF(STUFF(STUFF(CONVERT(varchar(32), x.id, 2), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-')) AS message_id, x.type, x.message_key, x.tenant, x.aggregate_type, x.handler,
       x.delivered_at, DATEDIFF_BIG(SECOND, x.delivered_at, SYSUTCDATETIME()) AS delivered_seconds, DATEDIFF_BIG(SECOND, x.created_at, x.delivered_at) AS took_seconds,
       x.resolved_by, x.resolved_why, x.created_at, x.occurred_at, x.expires_at,
       x.headers, x.content_type,
       CAST(x.payload AS varchar(max)) AS payload
  FROM outbox_history x;
GO
CREATE VIEW outbox_partition_view AS
SELECT p.partition_no, p.owner_id AS owner,
       CASE WHEN s.name IS NOT NULL THEN 'paused'
            WHEN p.owner_id IS NULL THEN 'no owner'
            WHEN h.good_until >= SYSUTCDATETIME() THEN 'owned'
            ELSE 'lease ended' END AS state,
       h.good_until, DATEDIFF_BIG(SECOND, SYSUTCDATETIME(), h.good_until) AS lease_seconds, p.epoch, p.crashes, p.floor_seq
  FROM outbox_partition p
  LEFT JOIN outbox_heartbeat h ON h.id = p.owner_id AND h.incarnation = p.owner_incarnation
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = CAST(p.partition_no AS varchar(10));
GO

CREATE TABLE outbox_schema (
  version         int NOT NULL PRIMARY KEY,
  key_hash        nvarchar(20) COLLATE Latin1_General_100_BIN2 NOT NULL,
  -- Programs for this version of the tables, or a newer one, can use them.
  compatible_from int NOT NULL
);
INSERT INTO outbox_schema (version, key_hash, compatible_from) VALUES (1, 'crc32', 1);

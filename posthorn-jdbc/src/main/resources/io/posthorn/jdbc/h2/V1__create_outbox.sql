-- Posthorn, version 1 of the tables, for H2. Run it by hand, with Flyway or with Liquibase.
-- H2 commits each statement by itself, so the script can be run again where it was cut off.
-- The number of partitions (64) is fixed here: change it before the first message, never after.

-- The order of messages; drawn without caching.
CREATE SEQUENCE IF NOT EXISTS outbox_seq NO CACHE;

CREATE TABLE IF NOT EXISTS outbox_message (
  partition_no   smallint     NOT NULL,
  seq            bigint       NOT NULL DEFAULT NEXT VALUE FOR outbox_seq,
  id             uuid         NOT NULL,
  type           varchar(255) NOT NULL,
  aggregate_type varchar(255),
  message_key    varchar(255),
  tenant         varchar(255),
  headers        varchar(1000000),
  content_type   varchar(255) NOT NULL,
  payload        varbinary(67108864),
  occurred_at    timestamp(6) with time zone  NOT NULL,
  expires_at     timestamp(6) with time zone,
  created_at     timestamp(6) with time zone  NOT NULL,
  PRIMARY KEY (partition_no, seq),
  CONSTRAINT outbox_message_partition_ck CHECK (partition_no >= 0)
);

CREATE TABLE IF NOT EXISTS outbox_deferred (
  partition_no   smallint     NOT NULL,
  seq            bigint       NOT NULL,
  handler        varchar(100) NOT NULL,
  id             uuid         NOT NULL,
  type           varchar(255) NOT NULL,
  aggregate_type varchar(255),
  message_key    varchar(255),
  tenant         varchar(255),
  headers        varchar(1000000),
  content_type   varchar(255) NOT NULL,
  payload        varbinary(67108864),
  occurred_at    timestamp(6) with time zone  NOT NULL,
  expires_at     timestamp(6) with time zone,
  created_at     timestamp(6) with time zone  NOT NULL,
  in_lane        boolean      NOT NULL,
  reason         varchar(20)  NOT NULL,
  attempts       integer      NOT NULL,
  due_at         timestamp(6) with time zone,
  last_error     varchar(1000000),
  deferred_at    timestamp(6) with time zone  NOT NULL,
  PRIMARY KEY (partition_no, handler, seq),
  CONSTRAINT outbox_deferred_partition_ck CHECK (partition_no >= 0),
  -- With IN, H2 2.4 refuses every row once the connection that made the table is closed.
  CONSTRAINT outbox_deferred_reason_ck CHECK (ARRAY_CONTAINS(ARRAY['RETRYING', 'HELD', 'WAITING', 'DELAYED', 'SUSPECT', 'ELSEWHERE', 'UNCLAIMED', 'SETTLED', 'BLOCKED'], reason)),
  CONSTRAINT outbox_deferred_attempts_ck CHECK (attempts >= 0)
);
-- A lane's rows in order.
CREATE INDEX IF NOT EXISTS outbox_deferred_lane_ix ON outbox_deferred (partition_no, handler, message_key, seq);
-- Rows that are looked for by their time.
CREATE INDEX IF NOT EXISTS outbox_deferred_due_ix ON outbox_deferred (partition_no, handler, due_at, seq);
-- Rows that nobody takes where they are, by type.
CREATE INDEX IF NOT EXISTS outbox_deferred_unclaimed_ix ON outbox_deferred (partition_no, reason, handler, type, seq);

CREATE TABLE IF NOT EXISTS outbox_dead (
  partition_no   smallint     NOT NULL,
  seq            bigint       NOT NULL,
  handler        varchar(100) NOT NULL,
  id             uuid         NOT NULL,
  type           varchar(255) NOT NULL,
  aggregate_type varchar(255),
  message_key    varchar(255),
  tenant         varchar(255),
  headers        varchar(1000000),
  content_type   varchar(255) NOT NULL,
  payload        varbinary(67108864),
  occurred_at    timestamp(6) with time zone  NOT NULL,
  expires_at     timestamp(6) with time zone,
  created_at     timestamp(6) with time zone  NOT NULL,
  attempts       integer      NOT NULL,
  error          varchar(1000000)         NOT NULL,
  died_at        timestamp(6) with time zone  NOT NULL,
  PRIMARY KEY (seq, handler),
  CONSTRAINT outbox_dead_partition_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_dead_attempts_ck CHECK (attempts >= 0)
);
-- What operators look for.
CREATE INDEX IF NOT EXISTS outbox_dead_handler_ix ON outbox_dead (handler, seq);
CREATE INDEX IF NOT EXISTS outbox_dead_key_ix ON outbox_dead (message_key, seq, handler);
CREATE INDEX IF NOT EXISTS outbox_dead_id_ix ON outbox_dead (id);

CREATE TABLE IF NOT EXISTS outbox_history (
  partition_no   smallint     NOT NULL,
  seq            bigint       NOT NULL,
  handler        varchar(100) NOT NULL,
  id             uuid         NOT NULL,
  type           varchar(255) NOT NULL,
  aggregate_type varchar(255),
  message_key    varchar(255),
  tenant         varchar(255),
  headers        varchar(1000000),
  content_type   varchar(255) NOT NULL,
  payload        varbinary(67108864),
  occurred_at    timestamp(6) with time zone  NOT NULL,
  expires_at     timestamp(6) with time zone,
  created_at     timestamp(6) with time zone  NOT NULL,
  delivered_at   timestamp(6) with time zone  NOT NULL,
  resolved_by    varchar(100),
  resolved_why   varchar(1000),
  PRIMARY KEY (seq, handler, delivered_at),
  CONSTRAINT outbox_history_partition_ck CHECK (partition_no >= 0)
);
CREATE INDEX IF NOT EXISTS outbox_history_age_ix ON outbox_history (delivered_at);

CREATE TABLE IF NOT EXISTS outbox_idempotency (
  idempotency_key varchar(255) PRIMARY KEY,
  message_id      uuid         NOT NULL,
  created_at      timestamp(6) with time zone  NOT NULL
);
CREATE INDEX IF NOT EXISTS outbox_idempotency_age_ix ON outbox_idempotency (created_at);

CREATE TABLE IF NOT EXISTS outbox_pause (
  kind      varchar(20)  NOT NULL,
  name      varchar(100) NOT NULL,
  paused_at timestamp(6) with time zone  NOT NULL,
  PRIMARY KEY (kind, name),
  CONSTRAINT outbox_pause_kind_ck CHECK (ARRAY_CONTAINS(ARRAY['HANDLER', 'PARTITION'], kind))
);

-- What operators did. Nothing deletes these rows.
CREATE TABLE IF NOT EXISTS outbox_action (
  id          uuid          NOT NULL,
  kind        varchar(20)   NOT NULL,
  who         varchar(100)  NOT NULL,
  why         varchar(1000),
  target      varchar(1000000) NOT NULL,
  state       varchar(10)   NOT NULL,
  entries     bigint        NOT NULL,
  -- Where an action that is not done goes on.
  place       varchar(1000),
  -- What an edit replaced.
  old_headers varchar(1000000),
  old_payload varbinary(67108864),
  started_at  timestamp(6) with time zone  NOT NULL,
  changed_at  timestamp(6) with time zone  NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT outbox_action_state_ck CHECK (ARRAY_CONTAINS(ARRAY['RUNNING', 'DONE', 'STOPPED'], state))
);
CREATE INDEX IF NOT EXISTS outbox_action_time_ix ON outbox_action (started_at, id);

CREATE SEQUENCE IF NOT EXISTS outbox_incarnation;

-- Relays alive. The row is the fence: settles lock it, expulsion deletes it, nobody updates it.
CREATE TABLE IF NOT EXISTS outbox_instance (
  id          varchar(100) NOT NULL,
  incarnation bigint       NOT NULL,
  joined_at   timestamp(6) with time zone  NOT NULL,
  handlers    varchar(1000000)         NOT NULL,
  PRIMARY KEY (id, incarnation)
);

-- Until when each of them is, as it said itself, by the clock of the database.
CREATE TABLE IF NOT EXISTS outbox_heartbeat (
  id          varchar(100) NOT NULL,
  incarnation bigint       NOT NULL,
  good_until  timestamp(6) with time zone  NOT NULL,
  lease_ms    bigint        NOT NULL,
  retired     boolean      NOT NULL,
  -- What the relay is doing, as it said itself with this heartbeat.
  report      varchar(1000000),
  PRIMARY KEY (id, incarnation)
);

-- Handlers of instances that are gone, remembered for a while.
CREATE TABLE IF NOT EXISTS outbox_gone (
  handler     varchar(100) NOT NULL,
  instance_id varchar(100) NOT NULL,
  incarnation bigint       NOT NULL,
  types       varchar(1000000)         NOT NULL,
  gone_at     timestamp(6) with time zone  NOT NULL,
  PRIMARY KEY (handler, instance_id, incarnation)
);

CREATE TABLE IF NOT EXISTS outbox_partition (
  partition_no      smallint PRIMARY KEY,
  owner_id          varchar(100),
  owner_incarnation bigint,
  epoch             bigint  NOT NULL,
  crashes           integer NOT NULL,
  floor_seq         bigint  NOT NULL DEFAULT 0,
  CONSTRAINT outbox_partition_number_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_partition_crashes_ck CHECK (crashes >= 0)
);
INSERT INTO outbox_partition (partition_no, epoch, crashes) SELECT n, 0, 0 FROM SYSTEM_RANGE(0, 63) AS r(n)
 WHERE NOT EXISTS (SELECT 1 FROM outbox_partition);

-- Handlers that have, or had, rows in outbox_deferred, and where reads of these rows begin.
CREATE TABLE IF NOT EXISTS outbox_deferred_floor (
  partition_no smallint     NOT NULL,
  handler      varchar(100) NOT NULL,
  seq_floor    bigint       NOT NULL,
  due_floor    timestamp(6) with time zone DEFAULT TIMESTAMP WITH TIME ZONE '1000-01-01 00:00:00+00' NOT NULL,
  PRIMARY KEY (partition_no, handler)
);
-- Delayed messages are for no handler yet.
INSERT INTO outbox_deferred_floor (partition_no, handler, seq_floor) SELECT partition_no, '*', 0 FROM outbox_partition
 WHERE NOT EXISTS (SELECT 1 FROM outbox_deferred_floor);

-- For operators: what waits, died or was delivered, and why, with payloads as text. Nothing depends on these views.
CREATE OR REPLACE VIEW outbox_ready_view AS
SELECT m.partition_no, m.seq, m.id AS message_id, m.type, m.message_key, m.tenant, m.aggregate_type,
       CASE WHEN s.name IS NOT NULL THEN 'the partition is paused'
            WHEN p.owner_id IS NULL THEN 'no relay owns the partition'
            WHEN h.good_until >= CURRENT_TIMESTAMP THEN 'for relay ' || p.owner_id
            ELSE 'the lease of relay ' || p.owner_id || ' has ended' END AS why,
       m.created_at, CAST(FLOOR(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) - EXTRACT(EPOCH FROM m.created_at)) AS BIGINT) AS age_seconds, m.occurred_at, m.expires_at,
       m.headers, m.content_type,
       CASE WHEN OCTET_LENGTH(m.payload) > 1000000
            THEN OCTET_LENGTH(m.payload) || ' bytes, beginning with 0x' || RAWTOHEX(SUBSTRING(m.payload FROM 1 FOR 100))
            WHEN STRINGTOUTF8(UTF8TOSTRING(m.payload)) = m.payload THEN UTF8TOSTRING(m.payload)
            ELSE OCTET_LENGTH(m.payload) || ' bytes that are not text: 0x' || RAWTOHEX(SUBSTRING(m.payload FROM 1 FOR 100)) END AS payload
  FROM outbox_message m
  LEFT JOIN outbox_partition p ON p.partition_no = m.partition_no
  LEFT JOIN outbox_heartbeat h ON h.id = p.owner_id AND h.incarnation = p.owner_incarnation
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = CAST(m.partition_no AS varchar);

CREATE OR REPLACE VIEW outbox_deferred_view AS
SELECT d.partition_no, d.seq, d.id AS message_id, d.type, d.message_key, d.tenant, d.aggregate_type, d.handler, d.reason,
       CASE WHEN d.reason = 'BLOCKED' THEN 'not a message: keeps its lane blocked until an operator decides'
            WHEN d.reason = 'SETTLED' THEN 'handled, about to be deleted'
            WHEN s.name IS NOT NULL THEN 'the partition is paused'
            WHEN t.name IS NOT NULL THEN 'the handler is paused'
            WHEN d.reason = 'RETRYING' AND d.attempts = 0 THEN 'to be delivered again'
            WHEN d.reason = 'RETRYING' THEN 'attempt ' || CAST(d.attempts AS varchar) || ' failed, the next one follows at due_at'
            WHEN d.reason = 'HELD' THEN 'waits for an earlier message of its key'
            WHEN d.reason = 'WAITING' THEN 'the handler cannot take it yet: busy, destination down, or on another instance only'
            WHEN d.reason = 'DELAYED' THEN 'to be delivered later, as published'
            WHEN d.reason = 'SUSPECT' THEN 'delivered alone, since relays died while they delivered it'
            WHEN d.reason = 'ELSEWHERE' THEN 'only another instance takes the type, or may'
            WHEN d.reason = 'UNCLAIMED' THEN 'no live instance takes the type'
            ELSE d.reason END AS why,
       d.in_lane, d.attempts, d.last_error AS error, d.due_at, CAST(FLOOR(EXTRACT(EPOCH FROM d.due_at) - EXTRACT(EPOCH FROM CURRENT_TIMESTAMP)) AS BIGINT) AS due_in_seconds,
       d.deferred_at, CAST(FLOOR(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) - EXTRACT(EPOCH FROM d.deferred_at)) AS BIGINT) AS deferred_seconds, d.created_at, d.occurred_at, d.expires_at,
       d.headers, d.content_type,
       CASE WHEN OCTET_LENGTH(d.payload) > 1000000
            THEN OCTET_LENGTH(d.payload) || ' bytes, beginning with 0x' || RAWTOHEX(SUBSTRING(d.payload FROM 1 FOR 100))
            WHEN STRINGTOUTF8(UTF8TOSTRING(d.payload)) = d.payload THEN UTF8TOSTRING(d.payload)
            ELSE OCTET_LENGTH(d.payload) || ' bytes that are not text: 0x' || RAWTOHEX(SUBSTRING(d.payload FROM 1 FOR 100)) END AS payload
  FROM outbox_deferred d
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = CAST(d.partition_no AS varchar)
  LEFT JOIN outbox_pause t ON t.kind = 'HANDLER' AND t.name = d.handler;

CREATE OR REPLACE VIEW outbox_dead_view AS
SELECT x.partition_no, x.seq, x.id AS message_id, x.type, x.message_key, x.tenant, x.aggregate_type, x.handler, x.attempts, x.error,
       CASE WHEN b.seq IS NULL THEN 'no' ELSE 'yes' END AS blocks_lane,
       x.died_at, CAST(FLOOR(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) - EXTRACT(EPOCH FROM x.died_at)) AS BIGINT) AS dead_seconds, x.created_at, x.occurred_at, x.expires_at,
       x.headers, x.content_type,
       CASE WHEN OCTET_LENGTH(x.payload) > 1000000
            THEN OCTET_LENGTH(x.payload) || ' bytes, beginning with 0x' || RAWTOHEX(SUBSTRING(x.payload FROM 1 FOR 100))
            WHEN STRINGTOUTF8(UTF8TOSTRING(x.payload)) = x.payload THEN UTF8TOSTRING(x.payload)
            ELSE OCTET_LENGTH(x.payload) || ' bytes that are not text: 0x' || RAWTOHEX(SUBSTRING(x.payload FROM 1 FOR 100)) END AS payload
  FROM outbox_dead x
  LEFT JOIN outbox_deferred b ON b.partition_no = x.partition_no AND b.handler = x.handler AND b.seq = x.seq AND b.reason = 'BLOCKED';

CREATE OR REPLACE VIEW outbox_history_view AS
SELECT x.partition_no, x.seq, x.id AS message_id, x.type, x.message_key, x.tenant, x.aggregate_type, x.handler,
       x.delivered_at, CAST(FLOOR(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) - EXTRACT(EPOCH FROM x.delivered_at)) AS BIGINT) AS delivered_seconds, CAST(FLOOR(EXTRACT(EPOCH FROM x.delivered_at) - EXTRACT(EPOCH FROM x.created_at)) AS BIGINT) AS took_seconds,
       x.resolved_by, x.resolved_why, x.created_at, x.occurred_at, x.expires_at,
       x.headers, x.content_type,
       CASE WHEN OCTET_LENGTH(x.payload) > 1000000
            THEN OCTET_LENGTH(x.payload) || ' bytes, beginning with 0x' || RAWTOHEX(SUBSTRING(x.payload FROM 1 FOR 100))
            WHEN STRINGTOUTF8(UTF8TOSTRING(x.payload)) = x.payload THEN UTF8TOSTRING(x.payload)
            ELSE OCTET_LENGTH(x.payload) || ' bytes that are not text: 0x' || RAWTOHEX(SUBSTRING(x.payload FROM 1 FOR 100)) END AS payload
  FROM outbox_history x;

CREATE OR REPLACE VIEW outbox_partition_view AS
SELECT p.partition_no, p.owner_id AS owner,
       CASE WHEN s.name IS NOT NULL THEN 'paused'
            WHEN p.owner_id IS NULL THEN 'no owner'
            WHEN h.good_until >= CURRENT_TIMESTAMP THEN 'owned'
            ELSE 'lease ended' END AS state,
       h.good_until, CAST(FLOOR(EXTRACT(EPOCH FROM h.good_until) - EXTRACT(EPOCH FROM CURRENT_TIMESTAMP)) AS BIGINT) AS lease_seconds, p.epoch, p.crashes, p.floor_seq
  FROM outbox_partition p
  LEFT JOIN outbox_heartbeat h ON h.id = p.owner_id AND h.incarnation = p.owner_incarnation
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = CAST(p.partition_no AS varchar);

CREATE TABLE IF NOT EXISTS outbox_schema (
  version         integer     PRIMARY KEY,
  key_hash        varchar(20) NOT NULL,
  -- Programs for this version of the tables, or a newer one, can use them.
  compatible_from integer     NOT NULL
);
INSERT INTO outbox_schema (version, key_hash, compatible_from) VALUES (1, 'crc32', 1);

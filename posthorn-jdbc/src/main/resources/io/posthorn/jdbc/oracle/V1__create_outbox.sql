-- Posthorn, version 1 of the tables, for Oracle 23. Run it by hand, with Flyway or with Liquibase.
-- It was written from Oracle's documents and has never been run on a server.
-- Oracle commits each CREATE by itself, so the script can be run again where it was cut off.
-- The number of partitions (64) is fixed here: change it before the first message, never after.
-- All times are UTC. Ids are the 16 bytes of a UUID: RAWTOHEX(id) shows one. Oracle stores an empty text as NULL.

-- The order of messages: one counter for all sessions and all nodes of a cluster.
CREATE SEQUENCE IF NOT EXISTS outbox_seq NOCACHE ORDER;
CREATE SEQUENCE IF NOT EXISTS outbox_incarnation NOCACHE;

CREATE TABLE IF NOT EXISTS outbox_message (
  partition_no   NUMBER(5) NOT NULL,
  seq            NUMBER(19) DEFAULT outbox_seq.NEXTVAL NOT NULL,
  id             RAW(16) NOT NULL,
  type           VARCHAR2(255 CHAR) NOT NULL,
  aggregate_type VARCHAR2(255 CHAR),
  message_key    VARCHAR2(255 CHAR),
  tenant         VARCHAR2(255 CHAR),
  headers        CLOB,
  content_type   VARCHAR2(255 CHAR) NOT NULL,
  payload        BLOB,
  occurred_at    TIMESTAMP(6) NOT NULL,
  expires_at     TIMESTAMP(6),
  created_at     TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (partition_no, seq),
  CONSTRAINT outbox_message_partition_ck CHECK (partition_no >= 0)
);

-- Who draws a seq locks one of the numbered tables in a shared mode, to the end of the transaction. They have no rows.
CREATE TABLE IF NOT EXISTS outbox_gate (
  gate_no NUMBER(5) PRIMARY KEY
);
INSERT INTO outbox_gate (gate_no) SELECT LEVEL - 1 FROM dual WHERE NOT EXISTS (SELECT 1 FROM outbox_gate) CONNECT BY LEVEL <= 16;
CREATE TABLE IF NOT EXISTS outbox_gate_0 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_1 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_2 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_3 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_4 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_5 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_6 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_7 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_8 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_9 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_10 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_11 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_12 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_13 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_14 (nothing NUMBER(1));
CREATE TABLE IF NOT EXISTS outbox_gate_15 (nothing NUMBER(1));

CREATE TABLE IF NOT EXISTS outbox_deferred (
  partition_no   NUMBER(5) NOT NULL,
  seq            NUMBER(19) NOT NULL,
  handler        VARCHAR2(100 CHAR) NOT NULL,
  id             RAW(16) NOT NULL,
  type           VARCHAR2(255 CHAR) NOT NULL,
  aggregate_type VARCHAR2(255 CHAR),
  message_key    VARCHAR2(255 CHAR),
  tenant         VARCHAR2(255 CHAR),
  headers        CLOB,
  content_type   VARCHAR2(255 CHAR) NOT NULL,
  payload        BLOB,
  occurred_at    TIMESTAMP(6) NOT NULL,
  expires_at     TIMESTAMP(6),
  created_at     TIMESTAMP(6) NOT NULL,
  in_lane        NUMBER(1) NOT NULL,
  reason         VARCHAR2(20 CHAR) NOT NULL,
  attempts       NUMBER(10) NOT NULL,
  due_at         TIMESTAMP(6),
  last_error     CLOB,
  deferred_at    TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (partition_no, handler, seq),
  CONSTRAINT outbox_deferred_partition_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_deferred_reason_ck CHECK (reason IN ('RETRYING', 'HELD', 'WAITING', 'DELAYED', 'SUSPECT', 'ELSEWHERE', 'UNCLAIMED', 'SETTLED', 'BLOCKED')),
  CONSTRAINT outbox_deferred_attempts_ck CHECK (attempts >= 0)
);
-- A lane's rows in order.
CREATE INDEX IF NOT EXISTS outbox_deferred_lane_ix ON outbox_deferred (partition_no, handler, message_key, in_lane, seq);
-- Rows that are looked for by their time.
CREATE INDEX IF NOT EXISTS outbox_deferred_due_ix ON outbox_deferred (partition_no, handler, due_at, seq);
-- Rows that nobody takes where they are, by type.
CREATE INDEX IF NOT EXISTS outbox_deferred_unclaimed_ix ON outbox_deferred (partition_no, reason, handler, type, seq);

CREATE TABLE IF NOT EXISTS outbox_dead (
  partition_no   NUMBER(5) NOT NULL,
  seq            NUMBER(19) NOT NULL,
  handler        VARCHAR2(100 CHAR) NOT NULL,
  id             RAW(16) NOT NULL,
  type           VARCHAR2(255 CHAR) NOT NULL,
  aggregate_type VARCHAR2(255 CHAR),
  message_key    VARCHAR2(255 CHAR),
  tenant         VARCHAR2(255 CHAR),
  headers        CLOB,
  content_type   VARCHAR2(255 CHAR) NOT NULL,
  payload        BLOB,
  occurred_at    TIMESTAMP(6) NOT NULL,
  expires_at     TIMESTAMP(6),
  created_at     TIMESTAMP(6) NOT NULL,
  attempts       NUMBER(10) NOT NULL,
  error          CLOB,
  died_at        TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (seq, handler),
  CONSTRAINT outbox_dead_partition_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_dead_attempts_ck CHECK (attempts >= 0)
);
-- What operators look for.
CREATE INDEX IF NOT EXISTS outbox_dead_handler_ix ON outbox_dead (handler, seq);
CREATE INDEX IF NOT EXISTS outbox_dead_key_ix ON outbox_dead (message_key, seq, handler);
CREATE INDEX IF NOT EXISTS outbox_dead_id_ix ON outbox_dead (id);

CREATE TABLE IF NOT EXISTS outbox_history (
  partition_no   NUMBER(5) NOT NULL,
  seq            NUMBER(19) NOT NULL,
  handler        VARCHAR2(100 CHAR) NOT NULL,
  id             RAW(16) NOT NULL,
  type           VARCHAR2(255 CHAR) NOT NULL,
  aggregate_type VARCHAR2(255 CHAR),
  message_key    VARCHAR2(255 CHAR),
  tenant         VARCHAR2(255 CHAR),
  headers        CLOB,
  content_type   VARCHAR2(255 CHAR) NOT NULL,
  payload        BLOB,
  occurred_at    TIMESTAMP(6) NOT NULL,
  expires_at     TIMESTAMP(6),
  created_at     TIMESTAMP(6) NOT NULL,
  delivered_at   TIMESTAMP(6) NOT NULL,
  resolved_by    VARCHAR2(100 CHAR),
  resolved_why   VARCHAR2(1000 CHAR),
  PRIMARY KEY (seq, handler, delivered_at),
  CONSTRAINT outbox_history_partition_ck CHECK (partition_no >= 0)
);
CREATE INDEX IF NOT EXISTS outbox_history_age_ix ON outbox_history (delivered_at);

CREATE TABLE IF NOT EXISTS outbox_idempotency (
  idempotency_key VARCHAR2(255 CHAR) PRIMARY KEY,
  message_id      RAW(16) NOT NULL,
  created_at      TIMESTAMP(6) NOT NULL
);
CREATE INDEX IF NOT EXISTS outbox_idempotency_age_ix ON outbox_idempotency (created_at);

CREATE TABLE IF NOT EXISTS outbox_pause (
  kind      VARCHAR2(20 CHAR) NOT NULL,
  name      VARCHAR2(100 CHAR) NOT NULL,
  paused_at TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (kind, name),
  CONSTRAINT outbox_pause_kind_ck CHECK (kind IN ('HANDLER', 'PARTITION'))
);

-- What operators did. Nothing deletes these rows.
CREATE TABLE IF NOT EXISTS outbox_action (
  id          RAW(16) PRIMARY KEY,
  kind        VARCHAR2(20 CHAR) NOT NULL,
  who         VARCHAR2(100 CHAR) NOT NULL,
  why         VARCHAR2(1000 CHAR),
  target      CLOB NOT NULL,
  state       VARCHAR2(10 CHAR) NOT NULL,
  entries     NUMBER(19) NOT NULL,
  -- Where an action that is not done goes on.
  place       VARCHAR2(1000 CHAR),
  -- What an edit replaced.
  old_headers CLOB,
  old_payload BLOB,
  started_at  TIMESTAMP(6) NOT NULL,
  changed_at  TIMESTAMP(6) NOT NULL,
  CONSTRAINT outbox_action_state_ck CHECK (state IN ('RUNNING', 'DONE', 'STOPPED'))
);
CREATE INDEX IF NOT EXISTS outbox_action_time_ix ON outbox_action (started_at, id);

-- Relays alive. The row is the fence: settles lock it, expulsion deletes it, nobody updates it.
CREATE TABLE IF NOT EXISTS outbox_instance (
  id          VARCHAR2(100 CHAR) NOT NULL,
  incarnation NUMBER(19) NOT NULL,
  joined_at   TIMESTAMP(6) NOT NULL,
  handlers    CLOB,
  PRIMARY KEY (id, incarnation)
);

-- Until when each of them is, as it said itself, by the clock of the database.
CREATE TABLE IF NOT EXISTS outbox_heartbeat (
  id          VARCHAR2(100 CHAR) NOT NULL,
  incarnation NUMBER(19) NOT NULL,
  good_until  TIMESTAMP(6) NOT NULL,
  lease_ms    NUMBER(19) NOT NULL,
  retired     NUMBER(1) NOT NULL,
  -- What the relay is doing, as it said itself with this heartbeat.
  report      CLOB,
  PRIMARY KEY (id, incarnation)
);

-- Handlers of instances that are gone, remembered for a while.
CREATE TABLE IF NOT EXISTS outbox_gone (
  handler     VARCHAR2(100 CHAR) NOT NULL,
  instance_id VARCHAR2(100 CHAR) NOT NULL,
  incarnation NUMBER(19) NOT NULL,
  types       CLOB,
  gone_at     TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (handler, instance_id, incarnation)
);

CREATE TABLE IF NOT EXISTS outbox_partition (
  partition_no      NUMBER(5) PRIMARY KEY,
  owner_id          VARCHAR2(100 CHAR),
  owner_incarnation NUMBER(19),
  epoch             NUMBER(19) NOT NULL,
  crashes           NUMBER(10) NOT NULL,
  floor_seq         NUMBER(19) DEFAULT 0 NOT NULL,
  CONSTRAINT outbox_partition_number_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_partition_crashes_ck CHECK (crashes >= 0)
);
INSERT INTO outbox_partition (partition_no, epoch, crashes) SELECT LEVEL - 1, 0, 0 FROM dual
 WHERE NOT EXISTS (SELECT 1 FROM outbox_partition) CONNECT BY LEVEL <= 1 + GREATEST(0, 63);

-- Handlers that have, or had, rows in outbox_deferred, and where reads of these rows begin.
CREATE TABLE IF NOT EXISTS outbox_deferred_floor (
  partition_no NUMBER(5) NOT NULL,
  handler      VARCHAR2(100 CHAR) NOT NULL,
  seq_floor    NUMBER(19) NOT NULL,
  due_floor    TIMESTAMP(6) DEFAULT TIMESTAMP '1000-01-01 00:00:00' NOT NULL,
  PRIMARY KEY (partition_no, handler)
);
-- Delayed messages are for no handler yet.
INSERT INTO outbox_deferred_floor (partition_no, handler, seq_floor) SELECT partition_no, '*', 0 FROM outbox_partition
 WHERE NOT EXISTS (SELECT 1 FROM outbox_deferred_floor);

-- For operators: what waits, died or was delivered, and why, with the first 2,000 bytes of payloads as text. Nothing depends on these views.
CREATE OR REPLACE VIEW outbox_ready_view AS
SELECT m.partition_no, m.seq, LOWER(REGEXP_REPLACE(RAWTOHEX(m.id), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\1-\2-\3-\4-\5')) AS message_id, m.type, m.message_key, m.tenant, m.aggregate_type,
       CASE WHEN s.name IS NOT NULL THEN 'the partition is paused'
            WHEN p.owner_id IS NULL THEN 'no relay owns the partition'
            WHEN h.good_until >= SYS_EXTRACT_UTC(SYSTIMESTAMP) THEN 'for relay ' || p.owner_id
            ELSE 'the lease of relay ' || p.owner_id || ' has ended' END AS why,
       m.created_at, ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - CAST(m.created_at AS DATE)) * 86400) AS age_seconds, m.occurred_at, m.expires_at,
       m.headers, m.content_type,
       UTL_RAW.CAST_TO_VARCHAR2(DBMS_LOB.SUBSTR(m.payload, 2000, 1)) AS payload
  FROM outbox_message m
  LEFT JOIN outbox_partition p ON p.partition_no = m.partition_no
  LEFT JOIN outbox_heartbeat h ON h.id = p.owner_id AND h.incarnation = p.owner_incarnation
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = TO_CHAR(m.partition_no);

CREATE OR REPLACE VIEW outbox_deferred_view AS
SELECT d.partition_no, d.seq, LOWER(REGEXP_REPLACE(RAWTOHEX(d.id), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\1-\2-\3-\4-\5')) AS message_id, d.type, d.message_key, d.tenant, d.aggregate_type, d.handler, d.reason,
       CASE WHEN d.reason = 'BLOCKED' THEN 'not a message: keeps its lane blocked until an operator decides'
            WHEN d.reason = 'SETTLED' THEN 'handled, about to be deleted'
            WHEN s.name IS NOT NULL THEN 'the partition is paused'
            WHEN t.name IS NOT NULL THEN 'the handler is paused'
            WHEN d.reason = 'RETRYING' AND d.attempts = 0 THEN 'to be delivered again'
            WHEN d.reason = 'RETRYING' THEN 'attempt ' || TO_CHAR(d.attempts) || ' failed, the next one follows at due_at'
            WHEN d.reason = 'HELD' THEN 'waits for an earlier message of its key'
            WHEN d.reason = 'WAITING' THEN 'the handler cannot take it yet: busy, destination down, or on another instance only'
            WHEN d.reason = 'DELAYED' THEN 'to be delivered later, as published'
            WHEN d.reason = 'SUSPECT' THEN 'delivered alone, since relays died while they delivered it'
            WHEN d.reason = 'ELSEWHERE' THEN 'only another instance takes the type, or may'
            WHEN d.reason = 'UNCLAIMED' THEN 'no live instance takes the type'
            ELSE d.reason END AS why,
       d.in_lane, d.attempts, d.last_error AS error, d.due_at, ROUND((CAST(d.due_at AS DATE) - CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE)) * 86400) AS due_in_seconds,
       d.deferred_at, ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - CAST(d.deferred_at AS DATE)) * 86400) AS deferred_seconds, d.created_at, d.occurred_at, d.expires_at,
       d.headers, d.content_type,
       UTL_RAW.CAST_TO_VARCHAR2(DBMS_LOB.SUBSTR(d.payload, 2000, 1)) AS payload
  FROM outbox_deferred d
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = TO_CHAR(d.partition_no)
  LEFT JOIN outbox_pause t ON t.kind = 'HANDLER' AND t.name = d.handler;

CREATE OR REPLACE VIEW outbox_dead_view AS
SELECT x.partition_no, x.seq, LOWER(REGEXP_REPLACE(RAWTOHEX(x.id), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\1-\2-\3-\4-\5')) AS message_id, x.type, x.message_key, x.tenant, x.aggregate_type, x.handler, x.attempts, x.error,
       CASE WHEN b.seq IS NULL THEN 'no' ELSE 'yes' END AS blocks_lane,
       x.died_at, ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - CAST(x.died_at AS DATE)) * 86400) AS dead_seconds, x.created_at, x.occurred_at, x.expires_at,
       x.headers, x.content_type,
       UTL_RAW.CAST_TO_VARCHAR2(DBMS_LOB.SUBSTR(x.payload, 2000, 1)) AS payload
  FROM outbox_dead x
  LEFT JOIN outbox_deferred b ON b.partition_no = x.partition_no AND b.handler = x.handler AND b.seq = x.seq AND b.reason = 'BLOCKED';

CREATE OR REPLACE VIEW outbox_history_view AS
SELECT x.partition_no, x.seq, LOWER(REGEXP_REPLACE(RAWTOHEX(x.id), '(.{8})(.{4})(.{4})(.{4})(.{12})', '\1-\2-\3-\4-\5')) AS message_id, x.type, x.message_key, x.tenant, x.aggregate_type, x.handler,
       x.delivered_at, ROUND((CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE) - CAST(x.delivered_at AS DATE)) * 86400) AS delivered_seconds, ROUND((CAST(x.delivered_at AS DATE) - CAST(x.created_at AS DATE)) * 86400) AS took_seconds,
       x.resolved_by, x.resolved_why, x.created_at, x.occurred_at, x.expires_at,
       x.headers, x.content_type,
       UTL_RAW.CAST_TO_VARCHAR2(DBMS_LOB.SUBSTR(x.payload, 2000, 1)) AS payload
  FROM outbox_history x;

CREATE OR REPLACE VIEW outbox_partition_view AS
SELECT p.partition_no, p.owner_id AS owner,
       CASE WHEN s.name IS NOT NULL THEN 'paused'
            WHEN p.owner_id IS NULL THEN 'no owner'
            WHEN h.good_until >= SYS_EXTRACT_UTC(SYSTIMESTAMP) THEN 'owned'
            ELSE 'lease ended' END AS state,
       h.good_until, ROUND((CAST(h.good_until AS DATE) - CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE)) * 86400) AS lease_seconds, p.epoch, p.crashes, p.floor_seq
  FROM outbox_partition p
  LEFT JOIN outbox_heartbeat h ON h.id = p.owner_id AND h.incarnation = p.owner_incarnation
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = TO_CHAR(p.partition_no);

CREATE TABLE IF NOT EXISTS outbox_schema (
  version         NUMBER(10) PRIMARY KEY,
  key_hash        VARCHAR2(20 CHAR) NOT NULL,
  -- Programs for this version of the tables, or a newer one, can use them.
  compatible_from NUMBER(10) NOT NULL
);
INSERT INTO outbox_schema (version, key_hash, compatible_from) SELECT 1, 'crc32', 1 FROM dual WHERE NOT EXISTS (SELECT 1 FROM outbox_schema);

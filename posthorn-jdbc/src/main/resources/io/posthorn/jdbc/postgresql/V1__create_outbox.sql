-- Posthorn, version 1 of the tables, for PostgreSQL. Run it by hand, with Flyway or with Liquibase.
-- The number of partitions (64) is fixed here: change it before the first message, never after.

-- The order of messages; drawn without caching.
CREATE SEQUENCE outbox_seq;

CREATE TABLE outbox_message (
  partition_no   smallint     NOT NULL,
  seq            bigint       NOT NULL DEFAULT nextval('outbox_seq'),
  id             uuid         NOT NULL,
  type           varchar(255) NOT NULL,
  aggregate_type varchar(255),
  message_key    varchar(255),
  tenant         varchar(255),
  headers        text,
  content_type   varchar(255) NOT NULL,
  payload        bytea,
  occurred_at    timestamptz  NOT NULL,
  expires_at     timestamptz,
  created_at     timestamptz  NOT NULL,
  PRIMARY KEY (partition_no, seq),
  CONSTRAINT outbox_message_partition_ck CHECK (partition_no >= 0)
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);

CREATE TABLE outbox_deferred (
  partition_no   smallint     NOT NULL,
  seq            bigint       NOT NULL,
  handler        varchar(100) NOT NULL,
  id             uuid         NOT NULL,
  type           varchar(255) NOT NULL,
  aggregate_type varchar(255),
  message_key    varchar(255),
  tenant         varchar(255),
  headers        text,
  content_type   varchar(255) NOT NULL,
  payload        bytea,
  occurred_at    timestamptz  NOT NULL,
  expires_at     timestamptz,
  created_at     timestamptz  NOT NULL,
  in_lane        boolean      NOT NULL,
  reason         varchar(20)  NOT NULL,
  attempts       integer      NOT NULL,
  due_at         timestamptz,
  last_error     text,
  deferred_at    timestamptz  NOT NULL,
  PRIMARY KEY (partition_no, handler, seq),
  CONSTRAINT outbox_deferred_partition_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_deferred_reason_ck CHECK (reason IN ('RETRYING', 'HELD', 'WAITING', 'DELAYED', 'SUSPECT', 'ELSEWHERE', 'UNCLAIMED', 'SETTLED', 'BLOCKED')),
  CONSTRAINT outbox_deferred_attempts_ck CHECK (attempts >= 0)
) WITH (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
-- A lane's rows in order.
CREATE INDEX outbox_deferred_lane_ix ON outbox_deferred (partition_no, handler, message_key, seq) WHERE in_lane;
-- Rows that are looked for by their time.
CREATE INDEX outbox_deferred_due_ix ON outbox_deferred (partition_no, handler, due_at, seq) WHERE due_at IS NOT NULL;
-- Rows that nobody takes where they are, by type.
CREATE INDEX outbox_deferred_unclaimed_ix ON outbox_deferred (partition_no, reason, handler, type, seq) WHERE reason IN ('ELSEWHERE', 'UNCLAIMED');

CREATE TABLE outbox_dead (
  partition_no   smallint     NOT NULL,
  seq            bigint       NOT NULL,
  handler        varchar(100) NOT NULL,
  id             uuid         NOT NULL,
  type           varchar(255) NOT NULL,
  aggregate_type varchar(255),
  message_key    varchar(255),
  tenant         varchar(255),
  headers        text,
  content_type   varchar(255) NOT NULL,
  payload        bytea,
  occurred_at    timestamptz  NOT NULL,
  expires_at     timestamptz,
  created_at     timestamptz  NOT NULL,
  attempts       integer      NOT NULL,
  error          text         NOT NULL,
  died_at        timestamptz  NOT NULL,
  PRIMARY KEY (seq, handler),
  CONSTRAINT outbox_dead_partition_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_dead_attempts_ck CHECK (attempts >= 0)
);
-- What operators look for.
CREATE INDEX outbox_dead_handler_ix ON outbox_dead (handler, seq);
CREATE INDEX outbox_dead_key_ix ON outbox_dead (message_key, seq, handler);
CREATE INDEX outbox_dead_id_ix ON outbox_dead (id);

CREATE TABLE outbox_history (
  partition_no   smallint     NOT NULL,
  seq            bigint       NOT NULL,
  handler        varchar(100) NOT NULL,
  id             uuid         NOT NULL,
  type           varchar(255) NOT NULL,
  aggregate_type varchar(255),
  message_key    varchar(255),
  tenant         varchar(255),
  headers        text,
  content_type   varchar(255) NOT NULL,
  payload        bytea,
  occurred_at    timestamptz  NOT NULL,
  expires_at     timestamptz,
  created_at     timestamptz  NOT NULL,
  delivered_at   timestamptz  NOT NULL,
  resolved_by    varchar(100),
  resolved_why   varchar(1000),
  PRIMARY KEY (seq, handler, delivered_at),
  CONSTRAINT outbox_history_partition_ck CHECK (partition_no >= 0)
);
CREATE INDEX outbox_history_age_ix ON outbox_history (delivered_at);

CREATE TABLE outbox_idempotency (
  idempotency_key varchar(255) PRIMARY KEY,
  message_id      uuid         NOT NULL,
  created_at      timestamptz  NOT NULL
);
CREATE INDEX outbox_idempotency_age_ix ON outbox_idempotency (created_at);

CREATE TABLE outbox_pause (
  kind      varchar(20)  NOT NULL,
  name      varchar(100) NOT NULL,
  paused_at timestamptz  NOT NULL,
  PRIMARY KEY (kind, name),
  CONSTRAINT outbox_pause_kind_ck CHECK (kind IN ('HANDLER', 'PARTITION'))
);

-- What operators did. Nothing deletes these rows.
CREATE TABLE outbox_action (
  id          uuid          NOT NULL,
  kind        varchar(20)   NOT NULL,
  who         varchar(100)  NOT NULL,
  why         varchar(1000),
  target      text          NOT NULL,
  state       varchar(10)   NOT NULL,
  entries     bigint        NOT NULL,
  -- Where an action that is not done goes on.
  place       varchar(1000),
  -- What an edit replaced.
  old_headers text,
  old_payload bytea,
  started_at  timestamptz   NOT NULL,
  changed_at  timestamptz   NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT outbox_action_state_ck CHECK (state IN ('RUNNING', 'DONE', 'STOPPED'))
);
CREATE INDEX outbox_action_time_ix ON outbox_action (started_at, id);

CREATE SEQUENCE outbox_incarnation;

-- Relays alive. The row is the fence: settles lock it, expulsion deletes it, nobody updates it.
CREATE TABLE outbox_instance (
  id          varchar(100) NOT NULL,
  incarnation bigint       NOT NULL,
  joined_at   timestamptz  NOT NULL,
  handlers    text         NOT NULL,
  PRIMARY KEY (id, incarnation)
);

-- Until when each of them is, as it said itself, by the clock of the database.
CREATE TABLE outbox_heartbeat (
  id          varchar(100) NOT NULL,
  incarnation bigint       NOT NULL,
  good_until  timestamptz  NOT NULL,
  lease_ms    bigint       NOT NULL,
  retired     boolean      NOT NULL,
  -- What the relay is doing, as it said itself with this heartbeat.
  report      text,
  PRIMARY KEY (id, incarnation)
);

-- Handlers of instances that are gone, remembered for a while.
CREATE TABLE outbox_gone (
  handler     varchar(100) NOT NULL,
  instance_id varchar(100) NOT NULL,
  incarnation bigint       NOT NULL,
  types       text         NOT NULL,
  gone_at     timestamptz  NOT NULL,
  PRIMARY KEY (handler, instance_id, incarnation)
);

CREATE TABLE outbox_partition (
  partition_no      smallint PRIMARY KEY,
  owner_id          varchar(100),
  owner_incarnation bigint,
  epoch             bigint  NOT NULL,
  crashes           integer NOT NULL,
  floor_seq         bigint  NOT NULL DEFAULT 0,
  CONSTRAINT outbox_partition_number_ck CHECK (partition_no >= 0),
  CONSTRAINT outbox_partition_crashes_ck CHECK (crashes >= 0)
);
INSERT INTO outbox_partition (partition_no, epoch, crashes) SELECT n, 0, 0 FROM generate_series(0, 63) AS n;

-- Handlers that have, or had, rows in outbox_deferred, and where reads of these rows begin.
CREATE TABLE outbox_deferred_floor (
  partition_no smallint     NOT NULL,
  handler      varchar(100) NOT NULL,
  seq_floor    bigint       NOT NULL,
  due_floor    timestamptz  NOT NULL DEFAULT '1000-01-01 00:00:00+00',
  PRIMARY KEY (partition_no, handler)
) WITH (fillfactor = 50);
-- Delayed messages are for no handler yet.
INSERT INTO outbox_deferred_floor (partition_no, handler, seq_floor) SELECT partition_no, '*', 0 FROM outbox_partition;

-- For operators: what waits, died or was delivered, and why, with payloads as text. Nothing depends on these views.
-- The payload as text. Bytes that are not UTF-8, or hold a zero, cannot be text: the first of them are shown in hex.
CREATE FUNCTION outbox_text(payload bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN encode(payload, 'hex') ~ '^(0[1-9a-f]|[1-7].|(c[2-9a-f]|d.)[89ab].|(e0[ab].|e[1-9a-cef][89ab].|ed[89].)[89ab].|(f0[9ab].|f[1-3][89ab].|f48.)[89ab].[89ab].)*$'
    THEN convert_from(payload, 'UTF8')
    ELSE length(payload) || ' bytes that are not text: 0x' || encode(substr(payload, 1, 100), 'hex') END
$$;

CREATE VIEW outbox_ready_view AS
SELECT m.partition_no, m.seq, m.id AS message_id, m.type, m.message_key, m.tenant, m.aggregate_type,
       CASE WHEN s.name IS NOT NULL THEN 'the partition is paused'
            WHEN p.owner_id IS NULL THEN 'no relay owns the partition'
            WHEN h.good_until >= now() THEN 'for relay ' || p.owner_id
            ELSE 'the lease of relay ' || p.owner_id || ' has ended' END AS why,
       m.created_at, CAST(extract(epoch FROM now() - m.created_at) AS bigint) AS age_seconds, m.occurred_at, m.expires_at,
       m.headers, m.content_type,
       outbox_text(m.payload) AS payload
  FROM outbox_message m
  LEFT JOIN outbox_partition p ON p.partition_no = m.partition_no
  LEFT JOIN outbox_heartbeat h ON h.id = p.owner_id AND h.incarnation = p.owner_incarnation
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = CAST(m.partition_no AS varchar);

CREATE VIEW outbox_deferred_view AS
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
       d.in_lane, d.attempts, d.last_error AS error, d.due_at, CAST(extract(epoch FROM d.due_at - now()) AS bigint) AS due_in_seconds,
       d.deferred_at, CAST(extract(epoch FROM now() - d.deferred_at) AS bigint) AS deferred_seconds, d.created_at, d.occurred_at, d.expires_at,
       d.headers, d.content_type,
       outbox_text(d.payload) AS payload
  FROM outbox_deferred d
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = CAST(d.partition_no AS varchar)
  LEFT JOIN outbox_pause t ON t.kind = 'HANDLER' AND t.name = d.handler;

CREATE VIEW outbox_dead_view AS
SELECT x.partition_no, x.seq, x.id AS message_id, x.type, x.message_key, x.tenant, x.aggregate_type, x.handler, x.attempts, x.error,
       CASE WHEN b.seq IS NULL THEN 'no' ELSE 'yes' END AS blocks_lane,
       x.died_at, CAST(extract(epoch FROM now() - x.died_at) AS bigint) AS dead_seconds, x.created_at, x.occurred_at, x.expires_at,
       x.headers, x.content_type,
       outbox_text(x.payload) AS payload
  FROM outbox_dead x
  LEFT JOIN outbox_deferred b ON b.partition_no = x.partition_no AND b.handler = x.handler AND b.seq = x.seq AND b.reason = 'BLOCKED';

CREATE VIEW outbox_history_view AS
SELECT x.partition_no, x.seq, x.id AS message_id, x.type, x.message_key, x.tenant, x.aggregate_type, x.handler,
       x.delivered_at, CAST(extract(epoch FROM now() - x.delivered_at) AS bigint) AS delivered_seconds, CAST(extract(epoch FROM x.delivered_at - x.created_at) AS bigint) AS took_seconds,
       x.resolved_by, x.resolved_why, x.created_at, x.occurred_at, x.expires_at,
       x.headers, x.content_type,
       outbox_text(x.payload) AS payload
  FROM outbox_history x;

CREATE VIEW outbox_partition_view AS
SELECT p.partition_no, p.owner_id AS owner,
       CASE WHEN s.name IS NOT NULL THEN 'paused'
            WHEN p.owner_id IS NULL THEN 'no owner'
            WHEN h.good_until >= now() THEN 'owned'
            ELSE 'lease ended' END AS state,
       h.good_until, CAST(extract(epoch FROM h.good_until - now()) AS bigint) AS lease_seconds, p.epoch, p.crashes, p.floor_seq
  FROM outbox_partition p
  LEFT JOIN outbox_heartbeat h ON h.id = p.owner_id AND h.incarnation = p.owner_incarnation
  LEFT JOIN outbox_pause s ON s.kind = 'PARTITION' AND s.name = CAST(p.partition_no AS varchar);

CREATE TABLE outbox_schema (
  version         integer     PRIMARY KEY,
  key_hash        varchar(20) NOT NULL,
  -- Programs for this version of the tables, or a newer one, can use them.
  compatible_from integer     NOT NULL
);
INSERT INTO outbox_schema (version, key_hash, compatible_from) VALUES (1, 'crc32', 1);

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
-- The newest of a handler.
CREATE INDEX outbox_dead_handler_ix ON outbox_dead (handler, died_at);

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

CREATE TABLE outbox_schema (
  version  integer     PRIMARY KEY,
  key_hash varchar(20) NOT NULL
);
INSERT INTO outbox_schema (version, key_hash) VALUES (1, 'crc32');

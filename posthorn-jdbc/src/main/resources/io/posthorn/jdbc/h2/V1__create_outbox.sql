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
-- The newest of a handler.
CREATE INDEX IF NOT EXISTS outbox_dead_handler_ix ON outbox_dead (handler, died_at);

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

CREATE TABLE IF NOT EXISTS outbox_schema (
  version  integer     PRIMARY KEY,
  key_hash varchar(20) NOT NULL
);
INSERT INTO outbox_schema (version, key_hash) VALUES (1, 'crc32');

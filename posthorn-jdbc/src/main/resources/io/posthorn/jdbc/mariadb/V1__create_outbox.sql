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
  -- The newest of a handler.
  KEY outbox_dead_handler_ix (handler, died_at),
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

CREATE TABLE IF NOT EXISTS outbox_schema (
  version  integer     PRIMARY KEY,
  key_hash varchar(20) NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;
INSERT IGNORE INTO outbox_schema (version, key_hash) VALUES (1, 'crc32');

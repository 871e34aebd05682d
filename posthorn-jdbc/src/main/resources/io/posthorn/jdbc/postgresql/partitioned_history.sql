-- Posthorn, outbox_history in one partition for each day, for PostgreSQL: an alternative for outboxes that keep much history.
-- Days that are over are dropped as tables, at no cost, where relays would delete them row by row.
--
-- Run it once after V1__create_outbox.sql, in one transaction (psql -1). Rows that were kept before stay. Then run its last
-- statement every day, by cron or pg_cron, and drop the days that you no longer need. Set relay.retention to a day more
-- than you keep, so that relays find nothing to delete. With another table prefix or schema, change the names.

DROP VIEW outbox_history_view;
ALTER TABLE outbox_history RENAME TO outbox_history_before;
CREATE TABLE outbox_history (LIKE outbox_history_before INCLUDING CONSTRAINTS) PARTITION BY RANGE (delivered_at);
-- Takes what falls on a day without a partition, so that no settle fails. Relays delete from it by age.
CREATE TABLE outbox_history_rest PARTITION OF outbox_history DEFAULT;
INSERT INTO outbox_history SELECT * FROM outbox_history_before;
DROP TABLE outbox_history_before;
ALTER TABLE outbox_history ADD PRIMARY KEY (seq, handler, delivered_at);
CREATE INDEX outbox_history_age_ix ON outbox_history (delivered_at);

CREATE VIEW outbox_history_view AS
SELECT x.partition_no, x.seq, x.id AS message_id, x.type, x.message_key, x.tenant, x.aggregate_type, x.handler,
       x.delivered_at, CAST(extract(epoch FROM now() - x.delivered_at) AS bigint) AS delivered_seconds, CAST(extract(epoch FROM x.delivered_at - x.created_at) AS bigint) AS took_seconds,
       x.resolved_by, x.resolved_why, x.error, x.created_at, x.occurred_at, x.expires_at,
       x.headers, x.content_type,
       outbox_text(x.payload) AS payload
  FROM outbox_history x;

-- Every day: makes the partitions of tomorrow and the week after, in UTC, unless they are there. A day of which rows have
-- already gone to outbox_history_rest gets none.
DO $$
DECLARE
  day date := (now() AT TIME ZONE 'UTC')::date;
BEGIN
  FOR n IN 0..8 LOOP
    BEGIN
      EXECUTE format('CREATE TABLE IF NOT EXISTS outbox_history_%s PARTITION OF outbox_history FOR VALUES FROM (%L) TO (%L)',
                     to_char(day + n, 'YYYYMMDD'), (day + n) || ' 00:00+00', (day + n + 1) || ' 00:00+00');
    EXCEPTION WHEN check_violation THEN
      RAISE NOTICE 'no partition of outbox_history for %: rows of that day are in outbox_history_rest', day + n;
    END;
  END LOOP;
END $$;

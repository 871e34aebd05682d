-- Posthorn, version 1 of the inbox, for H2. Run it by hand, with Flyway or with Liquibase.
-- H2 commits each statement by itself, so the script can be run again where it was cut off.

-- What each consumer has handled.
CREATE TABLE IF NOT EXISTS inbox_message (
  consumer    varchar(100) NOT NULL,
  message_id  varchar(255) NOT NULL,
  received_at timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (consumer, message_id)
);
CREATE INDEX IF NOT EXISTS inbox_message_age_ix ON inbox_message (received_at);

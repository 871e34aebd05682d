-- Posthorn, version 1 of the inbox, for Oracle 23. Run it by hand, with Flyway or with Liquibase.
-- It was written from Oracle's documents and has never been run on a server.
-- Oracle commits each CREATE by itself, so the script can be run again where it was cut off.

-- What each consumer has handled.
CREATE TABLE IF NOT EXISTS inbox_message (
  consumer    VARCHAR2(100 CHAR) NOT NULL,
  message_id  VARCHAR2(255 CHAR) NOT NULL,
  received_at TIMESTAMP(6)       NOT NULL,
  PRIMARY KEY (consumer, message_id)
);
CREATE INDEX IF NOT EXISTS inbox_message_age_ix ON inbox_message (received_at);

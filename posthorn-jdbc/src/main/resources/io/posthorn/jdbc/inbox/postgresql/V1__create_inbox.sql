-- Posthorn, version 1 of the inbox, for PostgreSQL. Run it by hand, with Flyway or with Liquibase.

-- What each consumer has handled.
CREATE TABLE inbox_message (
  consumer    varchar(100) NOT NULL,
  message_id  varchar(255) NOT NULL,
  received_at timestamptz  NOT NULL,
  PRIMARY KEY (consumer, message_id)
);
CREATE INDEX inbox_message_age_ix ON inbox_message (received_at);

-- Posthorn, version 1 of the inbox, for SQL Server 2019. Run it by hand, with Flyway or with Liquibase.
-- It was written from Microsoft's documents and has never been run on a server.

-- What each consumer has handled. Two texts that differ in spaces at their ends only are equal for SQL Server.
CREATE TABLE inbox_message (
  consumer    nvarchar(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
  message_id  nvarchar(255) COLLATE Latin1_General_100_BIN2 NOT NULL CHECK (message_id NOT LIKE N'% '),
  received_at datetime2(6)  NOT NULL,
  PRIMARY KEY (consumer, message_id) WITH (ALLOW_PAGE_LOCKS = OFF)
);
CREATE INDEX inbox_message_age_ix ON inbox_message (received_at) WITH (ALLOW_PAGE_LOCKS = OFF);
ALTER TABLE inbox_message SET (LOCK_ESCALATION = DISABLE);

-- Posthorn, version 1 of the inbox, for MariaDB. Run it by hand, with Flyway or with Liquibase.

-- What each consumer has handled.
CREATE TABLE IF NOT EXISTS inbox_message (
  consumer    varchar(100) NOT NULL,
  message_id  varchar(255) NOT NULL,
  received_at datetime(6)  NOT NULL,
  PRIMARY KEY (consumer, message_id),
  KEY inbox_message_age_ix (received_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_nopad_bin;

-- A second version of the tables, made for tests: a column that may be null, and an index.
ALTER TABLE outbox_message ADD COLUMN note varchar(50);
CREATE INDEX outbox_dead_type_ix ON outbox_dead (type);
INSERT INTO outbox_schema (version, key_hash, compatible_from) VALUES (2, 'crc32', 1);

-- Each mail is inserted, updated or deleted within seconds, so that most rows are dead.
ALTER TABLE mails SET (autovacuum_vacuum_scale_factor = 0.05);

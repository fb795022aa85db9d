ALTER TABLE "sources" DROP COLUMN "failures";--> statement-breakpoint
ALTER TABLE "sources" DROP COLUMN "alive_at";--> statement-breakpoint
-- Sends the job that reads a source when it is due next, or moves the one that waits.
CREATE FUNCTION send_source_read() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pgboss.job SET start_after = NEW.next_at
  WHERE name = 'read-source' AND singleton_key = NEW.id::text AND state < 'active';
  IF NOT FOUND THEN
    PERFORM send_job('read-source', jsonb_build_object('sourceId', NEW.id), NEW.id::text, NEW.id::text, NEW.next_at);
  END IF;
  PERFORM pg_notify('jobs', 'read-source') WHERE NEW.next_at <= clock_timestamp();
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER send_source_read AFTER INSERT OR UPDATE OF next_at ON sources
FOR EACH ROW WHEN (NEW.paused_at IS NULL) EXECUTE FUNCTION send_source_read();

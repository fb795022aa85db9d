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
--> statement-breakpoint
DROP TRIGGER enqueue_new_files ON files;
--> statement-breakpoint
DROP FUNCTION enqueue_new_files();
--> statement-breakpoint
-- The files that wait become jobs of a queue that the start of the process completes.
INSERT INTO pgboss.queue (name, policy, retry_limit, retry_delay, retry_backoff, expire_seconds, retention_seconds,
  deletion_seconds, partition, table_name)
VALUES ('notify-of-files', 'standard', 20, 5, true, 300, 1209600, 1209600, false, 'job_common')
ON CONFLICT DO NOTHING;
--> statement-breakpoint
SELECT send_job('notify-of-files', jsonb_build_object('partnerId', partner_id, 'fileIds', ids), NULL, partner_id::text)
FROM (
  SELECT partner_id, jsonb_agg(id) AS ids
  FROM (
    SELECT files.id, deals.partner_id, row_number() OVER (PARTITION BY deals.partner_id) AS position
    FROM new_files JOIN files ON files.id = file_id JOIN deals ON deals.id = files.deal_id
    WHERE deals.partner_id IS NOT NULL AND files.thread_partner_id IS NULL) file
  GROUP BY partner_id, (position - 1) / 50) part;
--> statement-breakpoint
CREATE TABLE "channel_news" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "channel_news_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"channel_id" integer NOT NULL,
	"deal_id" bigint NOT NULL,
	"key" text NOT NULL,
	"kind" text NOT NULL,
	"changes" jsonb NOT NULL,
	"due_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "new_files" DISABLE ROW LEVEL SECURITY;--> statement-breakpoint
DROP TABLE "new_files" CASCADE;--> statement-breakpoint
DROP INDEX "messages_mail_due_at_index";--> statement-breakpoint
DROP INDEX "team_channels_due_at_index";--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "mailed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "channel_news" ADD CONSTRAINT "channel_news_channel_id_team_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."team_channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "channel_news" ADD CONSTRAINT "channel_news_deal_id_deals_id_fk" FOREIGN KEY ("deal_id") REFERENCES "public"."deals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "channel_news_once" ON "channel_news" USING btree ("deal_id","channel_id","key");--> statement-breakpoint
CREATE INDEX "channel_news_channel_id_id_index" ON "channel_news" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "messages_thread_id_index" ON "messages" USING btree ("thread_id") WHERE "messages"."mail_due_at" is not null;--> statement-breakpoint
ALTER TABLE "team_channels" DROP COLUMN "files_until";--> statement-breakpoint
ALTER TABLE "team_channels" DROP COLUMN "late_until";--> statement-breakpoint
ALTER TABLE "team_channels" DROP COLUMN "leased_until";--> statement-breakpoint
ALTER TABLE "team_channels" DROP COLUMN "lease";--> statement-breakpoint
-- Sends a job for the partners of added events: one for each transaction, so that none is missed.
CREATE FUNCTION send_fan_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM send_job('notify-of-events', jsonb_build_object('partnerId', partner_id), NULL, partner_id::text)
  FROM (SELECT DISTINCT partner_id FROM added) partner;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER send_fan_out AFTER INSERT ON events REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION send_fan_out();
--> statement-breakpoint
-- Sends jobs for the partners of added files, except those of threads: one for each 50 files.
CREATE FUNCTION send_file_fan_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM send_job('notify-of-files', jsonb_build_object('partnerId', partner_id, 'fileIds', ids), NULL, partner_id::text)
  FROM (
    SELECT partner_id, jsonb_agg(id ORDER BY position) AS ids
    FROM (
      SELECT added.id, deals.partner_id, row_number() OVER (PARTITION BY deals.partner_id ORDER BY added.created_at, added.id) AS position
      FROM added JOIN deals ON deals.id = added.deal_id
      WHERE deals.partner_id IS NOT NULL AND added.thread_partner_id IS NULL) file
    GROUP BY partner_id, (position - 1) / 50) part;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER send_file_fan_out AFTER INSERT ON files REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION send_file_fan_out();

CREATE TABLE "import_leaving" (
	"import_id" integer NOT NULL,
	"deal_id" bigint NOT NULL,
	"partner_id" integer NOT NULL,
	CONSTRAINT "import_leaving_import_id_deal_id_pk" PRIMARY KEY("import_id","deal_id")
);
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "moves_deals" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "clears_empty" boolean;--> statement-breakpoint
ALTER TABLE "import_leaving" ADD CONSTRAINT "import_leaving_import_id_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."imports"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- As before, and workers that have leased such a delivery learn of it, so that they begin no request about it.
CREATE OR REPLACE FUNCTION withdraw_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  notified bigint;
BEGIN
  -- The partner first, then its endpoints, as everybody holds them who sets addresses or records attempts: nobody waits in a circle.
  PERFORM FROM partners WHERE id IN (SELECT list_id FROM given_up) ORDER BY id FOR KEY SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM FROM endpoints WHERE partner_id IN (SELECT list_id FROM given_up) ORDER BY partner_id, kind FOR NO KEY UPDATE;
  -- In the order of a resend.
  PERFORM FROM deliveries delivery JOIN given_up place ON delivery.partner_id = place.list_id AND delivery.deal_id = place.deal_id
  ORDER BY delivery.created_at, delivery.id FOR UPDATE OF delivery;
  WITH withdrawn AS (
    -- The lease stays: an attempt in flight is still recorded.
    UPDATE deliveries delivery SET
      state = CASE delivery.state WHEN 'waiting' THEN 'failed' ELSE delivery.state END, due_at = NULL, finished_at = coalesce(delivery.finished_at, now()),
      -- A deal that is being removed still has its partner.
      withdrawn_because = CASE WHEN deal.partner_id IS NULL THEN 'unassigned' WHEN deal.partner_id = place.list_id THEN 'removed' ELSE 'moved' END
    FROM given_up place JOIN deals deal ON deal.id = place.deal_id
    WHERE delivery.partner_id = place.list_id AND delivery.deal_id = place.deal_id AND delivery.withdrawn_because IS NULL
    RETURNING delivery.id, delivery.partner_id, delivery.kind, delivery.leased_until)
  SELECT count(pg_notify('withdrawals', format('%s:%s:%s', partner_id, kind, id))::text) INTO notified
  FROM withdrawn WHERE leased_until IS NOT NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "header_row" integer;
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mails_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"recipient" text NOT NULL,
	"encrypted" text,
	"link_hash" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone,
	"problem" text,
	CONSTRAINT "mails_content_until_failed" CHECK (("mails"."encrypted" is null) = ("mails"."due_at" is null))
);
--> statement-breakpoint
ALTER TABLE "users" DROP CONSTRAINT "users_email_unique";--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_link_hash_links_hash_fk" FOREIGN KEY ("link_hash") REFERENCES "public"."links"("hash") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mails_due_at_index" ON "mails" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "mails_link_hash_index" ON "mails" USING btree ("link_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_once_joined" ON "users" USING btree ("email") WHERE "users"."password_hash" is not null or "users"."seen_at" is not null;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_email_once_a_partner" UNIQUE NULLS NOT DISTINCT("email","partner_id");
--> statement-breakpoint
-- Each mail is inserted, updated or deleted within seconds, so that most rows are dead.
ALTER TABLE mails SET (autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
CREATE TABLE "staff_phones" (
	"email" text PRIMARY KEY NOT NULL,
	"phone" text NOT NULL
);
--> statement-breakpoint
DROP INDEX "deals_findings_index";--> statement-breakpoint
DROP INDEX "deals_findings_of_all_index";--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "given" integer;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "hold" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "gate" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "flow_step" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "step_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "due_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "due_step" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "reached" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "steps_done" integer;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "steps_to_do" integer;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "status_changes_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "stage_meaning" text;--> statement-breakpoint
ALTER TABLE "import_former" ADD COLUMN "given" integer;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "day_first" boolean;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "stages" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "connected_at" timestamp with time zone DEFAULT now();--> statement-breakpoint
ALTER TABLE "stages" ADD COLUMN "place" text;--> statement-breakpoint
ALTER TABLE "stages" ADD COLUMN "meaning_changed_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "deals_status_changes_at_index" ON "deals" USING btree ("status_changes_at") WHERE status_changes_at is not null;--> statement-breakpoint
CREATE INDEX "events_partner_id_created_at_index" ON "events" USING btree ("partner_id","created_at");--> statement-breakpoint
CREATE INDEX "deals_findings_index" ON "deals" USING btree ("partner_id","id") WHERE (flags & 8384512) <> 0;--> statement-breakpoint
CREATE INDEX "deals_findings_of_all_index" ON "deals" USING btree ("id") WHERE (flags & 8384512) <> 0;

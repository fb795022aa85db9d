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
--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "cad_completed";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "cad_requested";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "engineering_completed";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "engineering_requested";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "expected_permit_delivery_date";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "funding_submitted";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "hoa_approved_date";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "inspection_requested";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "install_complete";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "installed_scheduled";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "notes_last_updated";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "notes_next_activity_date";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "ntp_approved";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "ntp_requested";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "permit_received";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "permit_submitted";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "re_inspection_requested";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "re_install_scheduled";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "re_sign_date";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "site_survey_completed";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "site_survey_requested";--> statement-breakpoint
ALTER TABLE "deals" DROP COLUMN "redesign_complete_date";
--> statement-breakpoint
ALTER TABLE "deal_holes" RENAME TO "deal_gaps";--> statement-breakpoint
ALTER TABLE "throttles" RENAME COLUMN "tries" TO "attempts";--> statement-breakpoint
ALTER TABLE "imports" RENAME COLUMN "claim" TO "lease_id";--> statement-breakpoint
ALTER TABLE "sources" RENAME COLUMN "claim" TO "lease_id";--> statement-breakpoint
ALTER TABLE "deliveries" RENAME COLUMN "claim" TO "lease";--> statement-breakpoint
ALTER TABLE "webhook_secrets" RENAME COLUMN "sealed" TO "encrypted";--> statement-breakpoint
DROP INDEX "deal_holes_list_id_deals_before_position_index";--> statement-breakpoint
DROP INDEX "deals_findings_index";--> statement-breakpoint
DROP INDEX "deals_findings_of_all_index";--> statement-breakpoint
ALTER TABLE "deal_gaps" DROP CONSTRAINT "deal_holes_list_id_position_pk";--> statement-breakpoint
ALTER TABLE "deal_gaps" ADD CONSTRAINT "deal_gaps_list_id_position_pk" PRIMARY KEY("list_id","position");--> statement-breakpoint
CREATE INDEX "deal_gaps_list_id_deals_before_position_index" ON "deal_gaps" USING btree ("list_id","deals_before","position");--> statement-breakpoint
CREATE INDEX "deals_data_issues_index" ON "deals" USING btree ("partner_id","id") WHERE (flags & 8384512) <> 0;--> statement-breakpoint
CREATE INDEX "deals_data_issues_of_all_index" ON "deals" USING btree ("id") WHERE (flags & 8384512) <> 0;
--> statement-breakpoint
CREATE TABLE "follows" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "follows_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"deal_id" bigint,
	"view_id" integer,
	"filter" jsonb,
	"is_on" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "follows_deal_or_view" CHECK (("follows"."deal_id" is null) <> ("follows"."view_id" is null)),
	CONSTRAINT "follows_filter_of_view" CHECK (("follows"."view_id" is null) = ("follows"."filter" is null))
);
--> statement-breakpoint
CREATE TABLE "new_files" (
	"file_id" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_cursors" (
	"partner_id" integer PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"user_id" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_days" (
	"partner_id" integer NOT NULL,
	"zone" text NOT NULL,
	"day" date NOT NULL,
	CONSTRAINT "notification_days_partner_id_zone_pk" PRIMARY KEY("partner_id","zone")
);
--> statement-breakpoint
CREATE TABLE "notification_deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notification_deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"channel" text NOT NULL,
	"target_id" integer DEFAULT 0 NOT NULL,
	"deal_id" bigint NOT NULL,
	"notification_ids" bigint[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp with time zone,
	"leased_until" timestamp with time zone,
	"lease" integer DEFAULT 0 NOT NULL,
	"sent_at" timestamp with time zone,
	"problem" text
);
--> statement-breakpoint
CREATE TABLE "notification_settings" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"stage" boolean DEFAULT true NOT NULL,
	"dates" boolean DEFAULT true NOT NULL,
	"late" boolean DEFAULT true NOT NULL,
	"items" boolean DEFAULT true NOT NULL,
	"files" boolean DEFAULT true NOT NULL,
	"messages" boolean DEFAULT true NOT NULL,
	"schedule" text DEFAULT 'at-once' NOT NULL,
	"hour" integer DEFAULT 7 NOT NULL,
	"at_night" boolean DEFAULT false NOT NULL,
	"by_mail" boolean DEFAULT true NOT NULL,
	"mail_rejected_at" timestamp with time zone,
	"mail_problem" text
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "notifications_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"partner_id" integer NOT NULL,
	"deal_id" bigint NOT NULL,
	"key" text NOT NULL,
	"kind" text NOT NULL,
	"changes" jsonb NOT NULL,
	"view_id" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"read_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "user_people" (
	"user_id" integer NOT NULL,
	"person_id" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_people_user_id_person_id_pk" PRIMARY KEY("user_id","person_id")
);
--> statement-breakpoint
ALTER TABLE "follows" ADD CONSTRAINT "follows_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "follows" ADD CONSTRAINT "follows_deal_id_deals_id_fk" FOREIGN KEY ("deal_id") REFERENCES "public"."deals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "follows" ADD CONSTRAINT "follows_view_id_views_id_fk" FOREIGN KEY ("view_id") REFERENCES "public"."views"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "new_files" ADD CONSTRAINT "new_files_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_cursors" ADD CONSTRAINT "notification_cursors_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_days" ADD CONSTRAINT "notification_days_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_settings" ADD CONSTRAINT "notification_settings_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_deal_id_deals_id_fk" FOREIGN KEY ("deal_id") REFERENCES "public"."deals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_people" ADD CONSTRAINT "user_people_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_people" ADD CONSTRAINT "user_people_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "follows_deal_once" ON "follows" USING btree ("deal_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "follows_view_once" ON "follows" USING btree ("view_id","user_id");--> statement-breakpoint
CREATE INDEX "follows_user_id_index" ON "follows" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "notification_deliveries_open" ON "notification_deliveries" USING btree ("user_id","channel","target_id","deal_id") WHERE lease = 0 and due_at is not null;--> statement-breakpoint
CREATE INDEX "notification_deliveries_due" ON "notification_deliveries" USING btree ("due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "notification_deliveries_user_id_deal_id_sent_at_index" ON "notification_deliveries" USING btree ("user_id","deal_id","sent_at");--> statement-breakpoint
CREATE INDEX "notification_deliveries_created_at_index" ON "notification_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "notifications_once" ON "notifications" USING btree ("deal_id","user_id","key");--> statement-breakpoint
CREATE INDEX "notifications_user_id_id_index" ON "notifications" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "notifications_unread" ON "notifications" USING btree ("user_id","id") WHERE "notifications"."read_at" is null;--> statement-breakpoint
CREATE INDEX "notifications_created_at_index" ON "notifications" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notifications_late" ON "notifications" USING btree ("user_id","deal_id") WHERE "notifications"."kind" = 'late';--> statement-breakpoint
CREATE INDEX "user_people_person_id_index" ON "user_people" USING btree ("person_id");--> statement-breakpoint
ALTER TABLE notification_cursors SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE notification_deliveries SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE notifications SET (autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE notification_days SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
CREATE FUNCTION enqueue_new_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO new_files (file_id) SELECT id FROM added;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER enqueue_new_files AFTER INSERT ON files REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION enqueue_new_files();
--> statement-breakpoint
CREATE TABLE "message_files" (
	"file_id" text PRIMARY KEY NOT NULL,
	"message_id" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "message_settings" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"remind_after_hours" integer,
	CONSTRAINT "message_settings_one_row" CHECK ("message_settings"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "messages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"thread_id" integer NOT NULL,
	"user_id" integer,
	"author_name" text NOT NULL,
	"is_installer" boolean NOT NULL,
	"text" text NOT NULL,
	"mentions" integer[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"mail_due_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "saved_replies" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "saved_replies_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"title" text NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "saved_replies_title_unique" UNIQUE("title")
);
--> statement-breakpoint
CREATE TABLE "thread_reads" (
	"user_id" integer NOT NULL,
	"thread_id" integer NOT NULL,
	"message_id" bigint NOT NULL,
	CONSTRAINT "thread_reads_user_id_thread_id_pk" PRIMARY KEY("user_id","thread_id")
);
--> statement-breakpoint
CREATE TABLE "threads" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "threads_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"deal_id" bigint NOT NULL,
	"partner_id" integer NOT NULL,
	"user_id" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"waiting_since" timestamp with time zone,
	"answered_at" timestamp with time zone,
	"resolved_at" timestamp with time zone,
	"reminded_at" timestamp with time zone,
	CONSTRAINT "threads_resolved_wait_no_more" CHECK ("threads"."resolved_at" is null or "threads"."waiting_since" is null)
);
--> statement-breakpoint
ALTER TABLE "file_uploads" ADD COLUMN "thread_partner_id" integer;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "thread_partner_id" integer;--> statement-breakpoint
ALTER TABLE "message_files" ADD CONSTRAINT "message_files_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_files" ADD CONSTRAINT "message_files_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_thread_id_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."threads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "thread_reads" ADD CONSTRAINT "thread_reads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "thread_reads" ADD CONSTRAINT "thread_reads_thread_id_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."threads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "threads" ADD CONSTRAINT "threads_deal_id_deals_id_fk" FOREIGN KEY ("deal_id") REFERENCES "public"."deals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "threads" ADD CONSTRAINT "threads_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "threads" ADD CONSTRAINT "threads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "message_files_message_id_index" ON "message_files" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "messages_thread_id_id_index" ON "messages" USING btree ("thread_id","id");--> statement-breakpoint
CREATE INDEX "messages_user_id_index" ON "messages" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "messages_mail_due_at_index" ON "messages" USING btree ("mail_due_at") WHERE "messages"."mail_due_at" is not null;--> statement-breakpoint
CREATE INDEX "thread_reads_thread_id_index" ON "thread_reads" USING btree ("thread_id");--> statement-breakpoint
CREATE INDEX "threads_deal_id_index" ON "threads" USING btree ("deal_id");--> statement-breakpoint
CREATE INDEX "threads_partner_id_index" ON "threads" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "threads_user_id_index" ON "threads" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "threads_waiting_since_id_index" ON "threads" USING btree ("waiting_since","id");--> statement-breakpoint
CREATE INDEX "threads_answered_at_index" ON "threads" USING btree ("answered_at");--> statement-breakpoint
ALTER TABLE "file_uploads" ADD CONSTRAINT "file_uploads_thread_partner_id_partners_id_fk" FOREIGN KEY ("thread_partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_thread_partner_id_partners_id_fk" FOREIGN KEY ("thread_partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE TABLE "deal_assignees" (
	"deal_id" bigint PRIMARY KEY NOT NULL,
	"partner_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"assigned_by" integer,
	"assigned_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "members_see_scorecard" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "deal_assignees" ADD CONSTRAINT "deal_assignees_deal_id_deals_id_fk" FOREIGN KEY ("deal_id") REFERENCES "public"."deals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deal_assignees" ADD CONSTRAINT "deal_assignees_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deal_assignees" ADD CONSTRAINT "deal_assignees_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deal_assignees" ADD CONSTRAINT "deal_assignees_assigned_by_users_id_fk" FOREIGN KEY ("assigned_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deal_assignees_partner_id_user_id_deal_id_index" ON "deal_assignees" USING btree ("partner_id","user_id","deal_id");--> statement-breakpoint
CREATE INDEX "deal_assignees_user_id_index" ON "deal_assignees" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "deal_assignees_assigned_by_index" ON "deal_assignees" USING btree ("assigned_by");
--> statement-breakpoint
CREATE TABLE "push_subscriptions" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "push_subscriptions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"session_hash" text,
	"endpoint" text NOT NULL,
	"p256dh" text NOT NULL,
	"auth" text NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"failed_at" timestamp with time zone,
	"problem" text,
	CONSTRAINT "push_subscriptions_endpoint_unique" UNIQUE("endpoint")
);
--> statement-breakpoint
CREATE TABLE "week_digests" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"is_on" boolean,
	"sent_on" date
);
--> statement-breakpoint
CREATE TABLE "push_keys" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"public" text NOT NULL,
	"encrypted" text NOT NULL,
	CONSTRAINT "push_keys_once" CHECK ("push_keys"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "team_channels" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "team_channels_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"partner_id" integer NOT NULL,
	"name" text NOT NULL,
	"service" text NOT NULL,
	"encrypted_url" text NOT NULL,
	"shown_url" text NOT NULL,
	"kinds" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"switched_off_at" timestamp with time zone,
	"switched_off_because" text,
	"sequence" bigint NOT NULL,
	"files_until" timestamp with time zone DEFAULT now() NOT NULL,
	"late_until" text NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"leased_until" timestamp with time zone,
	"lease" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"last_sent_at" timestamp with time zone,
	"failed_at" timestamp with time zone,
	"problem" text
);
--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "push_names" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "push_subscriptions" ADD CONSTRAINT "push_subscriptions_session_hash_sessions_hash_fk" FOREIGN KEY ("session_hash") REFERENCES "public"."sessions"("hash") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "week_digests" ADD CONSTRAINT "week_digests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_channels" ADD CONSTRAINT "team_channels_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "push_subscriptions_user_id_index" ON "push_subscriptions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "push_subscriptions_session_hash_index" ON "push_subscriptions" USING btree ("session_hash");--> statement-breakpoint
CREATE INDEX "team_channels_partner_id_index" ON "team_channels" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "team_channels_due_at_index" ON "team_channels" USING btree ("due_at") WHERE switched_off_at is null;
--> statement-breakpoint
CREATE TABLE "new_assignments" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "new_assignments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"deal_id" bigint NOT NULL,
	"user_id" integer NOT NULL,
	"is_assigned" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "new_assignments" ADD CONSTRAINT "new_assignments_deal_id_deals_id_fk" FOREIGN KEY ("deal_id") REFERENCES "public"."deals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "new_assignments" ADD CONSTRAINT "new_assignments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "new_assignments_deal_id_index" ON "new_assignments" USING btree ("deal_id");--> statement-breakpoint
CREATE INDEX "new_assignments_user_id_index" ON "new_assignments" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "events_moved_index" ON "events" USING btree ("partner_id","created_at") WHERE type = 'deal.updated' and strpos(body, '{"field":"stage",') > 0;
--> statement-breakpoint
ALTER TABLE "new_assignments" ADD COLUMN "changed_by" integer;
--> statement-breakpoint
ALTER TABLE "follows" ADD COLUMN "relative_days" jsonb DEFAULT '{}'::jsonb NOT NULL;
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "encoding" text;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "decimal" text;
--> statement-breakpoint
CREATE TABLE "source_announced" (
	"source_id" integer NOT NULL,
	"deal_id" bigint NOT NULL,
	"looks" smallint NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "source_announced_source_id_deal_id_pk" PRIMARY KEY("source_id","deal_id")
);
--> statement-breakpoint
CREATE TABLE "source_delays" (
	"source_id" integer NOT NULL,
	"day" date NOT NULL,
	"delay_ms" bigint NOT NULL,
	CONSTRAINT "source_delays_source_id_day_pk" PRIMARY KEY("source_id","day")
);
--> statement-breakpoint
ALTER TABLE "source_rejects" ADD COLUMN "is_written" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "source_rejects" ADD COLUMN "modified_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "reread_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "archived_read_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "archived_after" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "directory" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "missing_properties" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "source_announced" ADD CONSTRAINT "source_announced_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_delays" ADD CONSTRAINT "source_delays_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "is_internal" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_of_partners_are_not_internal" CHECK (not "tokens"."is_internal" or "tokens"."partner_id" is null);
--> statement-breakpoint
-- Until now a token without a partner was internal.
UPDATE "tokens" SET "is_internal" = true WHERE "partner_id" IS NULL;
--> statement-breakpoint
ALTER TABLE "attempts" ADD COLUMN "refusals" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "refusals" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "paused_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "slowed_status" smallint;
--> statement-breakpoint
-- The schema of pg-boss, as its `getConstructionPlans` prints it, without partitions by day.
CREATE SCHEMA IF NOT EXISTS pgboss;
--> statement-breakpoint
CREATE TYPE pgboss.job_state AS ENUM (
  'created',
  'retry',
  'active',
  'completed',
  'cancelled',
  'failed'
);
--> statement-breakpoint
CREATE FUNCTION pgboss.job_now()
RETURNS timestamp with time zone AS
$$
  SELECT pg_catalog.now();
$$
LANGUAGE sql STABLE;
--> statement-breakpoint
CREATE TABLE pgboss.version (
  version int primary key,
  cron_on timestamp with time zone,
  bam_on timestamp with time zone,
  flow_on timestamp with time zone,
  reindex_on timestamp with time zone,
  monitor_backoff_on timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE pgboss.queue (
  name text NOT NULL,
  policy text NOT NULL,
  retry_limit int NOT NULL,
  retry_delay int NOT NULL,
  retry_backoff bool NOT NULL,
  retry_delay_max int,
  expire_seconds int NOT NULL,
  retention_seconds int NOT NULL,
  deletion_seconds int NOT NULL,
  dead_letter text REFERENCES pgboss.queue (name) CHECK (dead_letter IS DISTINCT FROM name),
  partition bool NOT NULL,
  table_name text NOT NULL,
  deferred_count int NOT NULL default 0,
  blocked_count int NOT NULL default 0,
  queued_count int NOT NULL default 0,
  ready_count int NOT NULL default 0,
  warning_queued int NOT NULL default 0,
  active_count int NOT NULL default 0,
  failed_count int NOT NULL default 0,
  total_count int NOT NULL default 0,
  retained_count int,
  retained_on timestamp with time zone,
  created_delta int NOT NULL default 0,
  completed_delta int NOT NULL default 0,
  failed_delta int NOT NULL default 0,
  delta_on timestamp with time zone,
  delta_seconds int,
  wait_bins int[],
  run_bins int[],
  ready_oldest_seconds int,
  ready_history int[] NOT NULL default '{}',
  heartbeat_seconds int,
  notify bool NOT NULL DEFAULT false,
  singletons_active text[],
  monitor_claim_on timestamp with time zone,
  monitor_on timestamp with time zone,
  maintain_on timestamp with time zone,
  created_on timestamp with time zone not null default now(),
  updated_on timestamp with time zone not null default now(),
  PRIMARY KEY (name)
);
--> statement-breakpoint
CREATE TABLE pgboss.schedule (
  name text REFERENCES pgboss.queue ON DELETE CASCADE,
  key text not null DEFAULT '',
  kind text not null DEFAULT 'cron' CHECK (kind IN ('cron', 'rrule')),
  cron text not null,
  timezone text DEFAULT 'UTC',
  data jsonb,
  options jsonb,
  created_on timestamp with time zone not null default now(),
  updated_on timestamp with time zone not null default now(),
  last_job_id uuid,
  PRIMARY KEY (name, key)
);
--> statement-breakpoint
CREATE TABLE pgboss.subscription (
  event text not null,
  name text not null REFERENCES pgboss.queue ON DELETE CASCADE,
  created_on timestamp with time zone not null default now(),
  updated_on timestamp with time zone not null default now(),
  PRIMARY KEY(event, name)
);
--> statement-breakpoint
CREATE TABLE pgboss.bam (
  id uuid PRIMARY KEY default gen_random_uuid(),
  name text NOT NULL,
  version int NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  queue text,
  table_name text NOT NULL,
  command text NOT NULL,
  error text,
  created_on timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  started_on timestamp with time zone,
  completed_on timestamp with time zone
);
--> statement-breakpoint
CREATE FUNCTION pgboss.job_table_format(command text, table_name text)
RETURNS text AS
$$
  SELECT format(
    regexp_replace(
      regexp_replace(command, '\.job\y', '.%1$I', 'g'),
      '\yjob_i(\d+)', '%1$s_i\1', 'g'
    ),
    table_name
  );
$$
LANGUAGE sql IMMUTABLE;
--> statement-breakpoint
CREATE FUNCTION pgboss.job_table_run(command text, tbl_name text DEFAULT NULL, queue_name text DEFAULT NULL)
RETURNS VOID AS
$$
DECLARE
  tbl RECORD;
BEGIN
  IF queue_name IS NOT NULL THEN
    SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
  END IF;

  IF tbl_name IS NOT NULL THEN
    EXECUTE pgboss.job_table_format(command, tbl_name);
    RETURN;
  END IF;

  EXECUTE pgboss.job_table_format(command, 'job_common');

  FOR tbl IN SELECT table_name FROM pgboss.queue WHERE partition = true
  LOOP
    EXECUTE pgboss.job_table_format(command, tbl.table_name);
  END LOOP;
END;
$$
LANGUAGE plpgsql;
--> statement-breakpoint
CREATE FUNCTION pgboss.job_table_run_async(command_name text, version int, command text, tbl_name text DEFAULT NULL, queue_name text DEFAULT NULL)
RETURNS VOID AS
$$
BEGIN
  IF queue_name IS NOT NULL THEN
    SELECT table_name INTO tbl_name FROM pgboss.queue WHERE name = queue_name;
  END IF;

  IF tbl_name IS NOT NULL THEN
    INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
    VALUES (
      command_name,
      version,
      'pending',
      queue_name,
      tbl_name,
      pgboss.job_table_format(command, tbl_name)
    );
    RETURN;
  END IF;

  INSERT INTO pgboss.bam (name, version, status, queue, table_name, command)
  SELECT
    command_name,
    version,
    'pending',
    NULL,
    'job_common',
    pgboss.job_table_format(command, 'job_common')
  UNION ALL
  SELECT
    command_name,
    version,
    'pending',
    queue.name,
    queue.table_name,
    pgboss.job_table_format(command, queue.table_name)
  FROM pgboss.queue
  WHERE partition = true;
END;
$$
LANGUAGE plpgsql;
--> statement-breakpoint
CREATE TABLE pgboss.job (
  id uuid not null default gen_random_uuid(),
  name text not null,
  priority integer not null default(0),
  data jsonb,
  state pgboss.job_state not null default 'created',
  retry_limit integer not null default 2,
  retry_count integer not null default 0,
  retry_delay integer not null default 0,
  retry_backoff boolean not null default false,
  retry_delay_max integer,
  expire_seconds int not null default 900,
  deletion_seconds int not null default 604800,
  singleton_key text,
  singleton_on timestamp without time zone,
  group_id text,
  group_tier text,
  start_after timestamp with time zone not null default now(),
  created_on timestamp with time zone not null default now(),
  started_on timestamp with time zone,
  completed_on timestamp with time zone,
  keep_until timestamp with time zone NOT NULL default now() + interval '1209600',
  output jsonb,
  dead_letter text,
  policy text,
  heartbeat_on timestamp with time zone,
  heartbeat_seconds int,
  blocked boolean not null default false,
  blocking boolean not null default false,
  pending_dependencies int not null default 0,
  source_name text,
  source_id uuid,
  source_created_on timestamp with time zone,
  source_retry_count int,
  source_output jsonb,
  source_root_id uuid,
  trace_context jsonb,
  upsert_by_key bool
) PARTITION BY LIST (name);
--> statement-breakpoint
ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id);
--> statement-breakpoint
CREATE TABLE pgboss.job_common (LIKE pgboss.job INCLUDING GENERATED INCLUDING DEFAULTS);
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id)$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i1 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i2 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i3 ON pgboss.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i6 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i8 ON pgboss.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i10 ON pgboss.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i4 ON pgboss.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i11 ON pgboss.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i7 ON pgboss.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i9 ON pgboss.job (name, id) WHERE blocking AND state = 'completed'$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i12 ON pgboss.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE UNIQUE INDEX job_i13 ON pgboss.job (name, singleton_key) WHERE state = 'created' AND upsert_by_key$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i14 ON pgboss.job (name, state, blocked, start_after) WHERE state IN ('created', 'retry', 'active', 'failed')$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i15 ON pgboss.job (name, created_on)$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i16 ON pgboss.job (name, completed_on) WHERE completed_on IS NOT NULL$cmd$, 'job_common');
--> statement-breakpoint
SELECT pgboss.job_table_run($cmd$CREATE INDEX job_i17 ON pgboss.job (name, singleton_key, created_on) WHERE state < 'active' AND singleton_key IS NOT NULL$cmd$, 'job_common');
--> statement-breakpoint
ALTER TABLE pgboss.job ATTACH PARTITION pgboss.job_common DEFAULT;
--> statement-breakpoint
CREATE TABLE pgboss.warning (
  id uuid PRIMARY KEY default gen_random_uuid(),
  type text NOT NULL,
  message text NOT NULL,
  data jsonb,
  created_on timestamp with time zone NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE INDEX warning_i1 ON pgboss.warning (created_on DESC);
--> statement-breakpoint
CREATE TABLE pgboss.queue_stats (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  name text NOT NULL,
  deferred_count int NOT NULL DEFAULT 0,
  queued_count   int NOT NULL DEFAULT 0,
  ready_count    int NOT NULL DEFAULT 0,
  active_count   int NOT NULL DEFAULT 0,
  failed_count   int NOT NULL DEFAULT 0,
  total_count    int NOT NULL DEFAULT 0,
  created_delta   int,
  completed_delta int,
  failed_delta    int,
  delta_seconds   int,
  delta_on        timestamptz,
  wait_bins       int[],
  run_bins        int[],
  ready_oldest_seconds int,
  captured_on timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (id, captured_on)
) PARTITION BY RANGE (captured_on);
--> statement-breakpoint
CREATE INDEX queue_stats_i1 ON pgboss.queue_stats (name, captured_on DESC) INCLUDE (deferred_count, queued_count, ready_count, active_count, failed_count, total_count);
--> statement-breakpoint
CREATE TABLE pgboss.job_dependency (
  child_name text NOT NULL,
  child_id uuid NOT NULL,
  parent_name text NOT NULL,
  parent_id uuid NOT NULL,
  PRIMARY KEY (child_name, child_id, parent_name, parent_id)
);
--> statement-breakpoint
CREATE INDEX IF NOT EXISTS job_dep_parent_idx ON pgboss.job_dependency (parent_name, parent_id);
--> statement-breakpoint
CREATE TABLE pgboss.instance (
  id uuid PRIMARY KEY,
  name text,
  host text NOT NULL,
  pid int NOT NULL,
  version text NOT NULL,
  node_version text NOT NULL,
  application_name text,
  heartbeat_seconds int NOT NULL,
  supervise bool NOT NULL,
  schedule bool NOT NULL,
  migrate bool NOT NULL,
  persist_queue_stats bool NOT NULL,
  persist_warnings bool NOT NULL,
  pool_max int,
  pool_total int,
  pool_idle int,
  pool_waiting int,
  workers jsonb NOT NULL DEFAULT '[]'::jsonb,
  metrics jsonb,
  config jsonb NOT NULL DEFAULT '{}'::jsonb,
  crash_restarts int NOT NULL DEFAULT 0,
  crash_restarts_since timestamptz,
  started_on timestamptz NOT NULL DEFAULT now(),
  heartbeat_on timestamptz NOT NULL DEFAULT now(),
  stopped_on timestamptz
);
--> statement-breakpoint
CREATE FUNCTION pgboss.create_queue(queue_name text, options jsonb)
RETURNS VOID AS
$$
DECLARE
  tablename varchar := CASE WHEN options->>'partition' = 'true'
                        THEN 'j' || encode(sha224(queue_name::bytea), 'hex')
                        ELSE 'job_common'
                        END;
  queue_created_on timestamptz;
BEGIN

  WITH q as (
    INSERT INTO pgboss.queue (
      name,
      policy,
      retry_limit,
      retry_delay,
      retry_backoff,
      retry_delay_max,
      expire_seconds,
      retention_seconds,
      deletion_seconds,
      warning_queued,
      dead_letter,
      partition,
      table_name,
      heartbeat_seconds,
      notify,
      created_on,
      updated_on
    )
    VALUES (
      queue_name,
      options->>'policy',
      COALESCE((options->>'retryLimit')::int, 2),
      COALESCE((options->>'retryDelay')::int, 0),
      COALESCE((options->>'retryBackoff')::bool, false),
      (options->>'retryDelayMax')::int,
      COALESCE((options->>'expireInSeconds')::int, 900),
      COALESCE((options->>'retentionSeconds')::int, 1209600),
      COALESCE((options->>'deleteAfterSeconds')::int, 604800),
      COALESCE((options->>'warningQueueSize')::int, 0),
      options->>'deadLetter',
      COALESCE((options->>'partition')::bool, false),
      tablename,
      (options->>'heartbeatSeconds')::int,
      COALESCE((options->>'notify')::bool, false),
      pgboss.job_now(),
      pgboss.job_now()
    )
    ON CONFLICT DO NOTHING
    RETURNING created_on
  )
  SELECT created_on into queue_created_on from q;

  IF queue_created_on IS NULL OR options->>'partition' IS DISTINCT FROM 'true' THEN
    RETURN;
  END IF;

  EXECUTE format('CREATE TABLE pgboss.%I (LIKE pgboss.job INCLUDING DEFAULTS)', tablename);

  EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD PRIMARY KEY (name, id)$cmd$, tablename);
  EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT q_fkey FOREIGN KEY (name) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);
  EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT dlq_fkey FOREIGN KEY (dead_letter) REFERENCES pgboss.queue (name) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED$cmd$, tablename);

  EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i11 ON pgboss.job (name, priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked$cmd$, tablename);
  EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i4 ON pgboss.job (name, singleton_on, COALESCE(singleton_key, '')) WHERE state <> 'cancelled' AND singleton_on IS NOT NULL$cmd$, tablename);
  EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i7 ON pgboss.job (name, group_id) WHERE state = 'active' AND group_id IS NOT NULL$cmd$, tablename);
  EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i9 ON pgboss.job (name, id) WHERE blocking AND state = 'completed'$cmd$, tablename);
  EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i12 ON pgboss.job (source_root_id) WHERE source_root_id IS NOT NULL$cmd$, tablename);
  EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i13 ON pgboss.job (name, singleton_key) WHERE state = 'created' AND upsert_by_key$cmd$, tablename);
  EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i14 ON pgboss.job (name, state, blocked, start_after) WHERE state IN ('created', 'retry', 'active', 'failed')$cmd$, tablename);
  EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i15 ON pgboss.job (name, created_on)$cmd$, tablename);
  EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i16 ON pgboss.job (name, completed_on) WHERE completed_on IS NOT NULL$cmd$, tablename);
  EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i17 ON pgboss.job (name, singleton_key, created_on) WHERE state < 'active' AND singleton_key IS NOT NULL$cmd$, tablename);

  IF options->>'policy' = 'short' THEN
    EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i1 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'created' AND policy = 'short'$cmd$, tablename);
  ELSIF options->>'policy' = 'singleton' THEN
    EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i2 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state = 'active' AND policy = 'singleton'$cmd$, tablename);
  ELSIF options->>'policy' = 'stately' THEN
    EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i3 ON pgboss.job (name, state, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'stately'$cmd$, tablename);
  ELSIF options->>'policy' = 'exclusive' THEN
    EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i6 ON pgboss.job (name, COALESCE(singleton_key, '')) WHERE state <= 'active' AND policy = 'exclusive'$cmd$, tablename);
  ELSIF options->>'policy' = 'key_strict_fifo' THEN
    EXECUTE pgboss.job_table_format($cmd$CREATE UNIQUE INDEX job_i8 ON pgboss.job (name, singleton_key) WHERE state IN ('active', 'retry', 'failed') AND policy = 'key_strict_fifo'$cmd$, tablename);
    EXECUTE pgboss.job_table_format($cmd$CREATE INDEX job_i10 ON pgboss.job (name, singleton_key, state DESC, created_on, id) INCLUDE (start_after) WHERE state < 'active' AND NOT blocked AND policy = 'key_strict_fifo'$cmd$, tablename);
    EXECUTE pgboss.job_table_format($cmd$ALTER TABLE pgboss.job ADD CONSTRAINT job_key_strict_fifo_singleton_key_check CHECK (NOT (policy = 'key_strict_fifo' AND singleton_key IS NULL))$cmd$, tablename);
  END IF;

  EXECUTE format('ALTER TABLE pgboss.%I ADD CONSTRAINT cjc CHECK (name=%L)', tablename, queue_name);
  EXECUTE format('ALTER TABLE pgboss.job ATTACH PARTITION pgboss.%I FOR VALUES IN (%L)', tablename, queue_name);
END;
$$
LANGUAGE plpgsql;
--> statement-breakpoint
CREATE FUNCTION pgboss.delete_queue(queue_name text)
RETURNS VOID AS
$$
DECLARE
  v_table varchar;
  v_partition bool;
BEGIN
  
  SELECT table_name, partition
  FROM pgboss.queue
  WHERE name = queue_name
  INTO v_table, v_partition;

  IF v_partition THEN
    EXECUTE format('DROP TABLE IF EXISTS pgboss.%I', v_table);
  ELSE
    EXECUTE format('DELETE FROM pgboss.%I WHERE name = %L', v_table, queue_name);
  END IF;

  DELETE FROM pgboss.queue WHERE name = queue_name;
END;
$$
LANGUAGE plpgsql;
--> statement-breakpoint
INSERT INTO pgboss.version(version) VALUES ('46');
--> statement-breakpoint
CREATE FUNCTION send_job(kind text, payload jsonb, job_key text DEFAULT NULL, job_group text DEFAULT NULL, due timestamptz DEFAULT now())
RETURNS void LANGUAGE sql AS $$
  INSERT INTO pgboss.job (name, data, singleton_key, group_id, start_after, keep_until, policy, retry_limit, retry_delay,
    retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, heartbeat_seconds)
  SELECT name, payload, job_key, job_group, due, due + retention_seconds * interval '1 second', policy, retry_limit, retry_delay,
    retry_backoff, retry_delay_max, expire_seconds, deletion_seconds, heartbeat_seconds
  FROM pgboss.queue WHERE name = kind
  ON CONFLICT DO NOTHING;
  SELECT pg_notify('jobs', kind) WHERE due <= now();
$$;
--> statement-breakpoint
CREATE FUNCTION send_status_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM send_job('update-statuses', 'null');
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER send_status_update AFTER UPDATE ON stages
FOR EACH STATEMENT EXECUTE FUNCTION send_status_update();
--> statement-breakpoint
CREATE TABLE "closed_gaps" (
	"list_id" integer NOT NULL,
	"closing" integer NOT NULL,
	"position" bigint NOT NULL,
	"gap_count" bigint NOT NULL,
	CONSTRAINT "closed_gaps_list_id_closing_position_pk" PRIMARY KEY("list_id","closing","position")
);
--> statement-breakpoint
ALTER TABLE "deal_lists" ADD COLUMN "closings" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE TABLE "installation" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"key_check" text,
	"backed_up_at" timestamp with time zone,
	CONSTRAINT "installation_is_only" CHECK ("installation"."is_only")
);
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "unreadable" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE TABLE "spending" (
	"user_id" integer,
	"partner_id" integer,
	"what" text NOT NULL,
	"began_at" timestamp with time zone NOT NULL,
	"amount" bigint NOT NULL,
	CONSTRAINT "spending_once_an_owner" UNIQUE NULLS NOT DISTINCT("user_id","partner_id","what")
);
--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "file_quota_bytes" bigint;--> statement-breakpoint
ALTER TABLE "file_uploads" ADD COLUMN "names" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "spending" ADD CONSTRAINT "spending_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "spending" ADD CONSTRAINT "spending_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "spending_partner_id_index" ON "spending" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "file_uploads_thread_partner_id_index" ON "file_uploads" USING btree ("thread_partner_id");--> statement-breakpoint
CREATE INDEX "files_thread_partner_id_index" ON "files" USING btree ("thread_partner_id");
--> statement-breakpoint
ALTER TABLE "push_subscriptions" ADD COLUMN "ended_at" timestamp with time zone;
--> statement-breakpoint
ALTER TABLE "stages" ADD COLUMN "spellings" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
-- A row is updated with each action that it counts.
ALTER TABLE spending SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

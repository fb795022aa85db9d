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

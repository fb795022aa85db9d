CREATE TABLE "people" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "people_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"email" text NOT NULL,
	CONSTRAINT "people_name_email_unique" UNIQUE("name","email")
);
--> statement-breakpoint
CREATE TABLE "views" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "views_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"partner_id" integer,
	"user_id" integer NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"is_shared" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "views_user_id_partner_id_name_unique" UNIQUE NULLS NOT DISTINCT("user_id","partner_id","name")
);
--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "words" "tsvector";--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "name_key" text collate "C";--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "city" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "state" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "stage" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "pipeline" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "amount" double precision;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "system_size" double precision;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "flags" integer;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "people" integer[];--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "last_modified" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "create_date" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "time_in_current_stage" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "cad_completed" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "cad_requested" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "engineering_completed" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "engineering_requested" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "expected_permit_delivery_date" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "funding_submitted" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "hoa_approved_date" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "inspection_requested" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "install_complete" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "installed_scheduled" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "notes_last_updated" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "notes_next_activity_date" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "ntp_approved" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "ntp_requested" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "permit_received" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "permit_submitted" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "re_inspection_requested" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "re_install_scheduled" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "re_sign_date" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "site_survey_completed" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "site_survey_requested" date;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "redesign_complete_date" date;--> statement-breakpoint
ALTER TABLE "views" ADD CONSTRAINT "views_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "views" ADD CONSTRAINT "views_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "views_partner_id_index" ON "views" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_last_modified_id_index" ON "deals" USING btree ("partner_id","last_modified","id");--> statement-breakpoint
CREATE INDEX "deals_words_index" ON "deals" USING gin ("words");--> statement-breakpoint
CREATE INDEX "events_partner_id_deal_id_sequence_index" ON "events" USING btree ("partner_id","deal_id","sequence");
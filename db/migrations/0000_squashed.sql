CREATE TABLE "identities" (
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"user_id" integer NOT NULL,
	CONSTRAINT "identities_issuer_subject_pk" PRIMARY KEY("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "links" (
	"hash" text PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"kind" text NOT NULL,
	"is_requested" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "links_kind" CHECK ("links"."kind" in ('invitation', 'reset', 'sign-in'))
);
--> statement-breakpoint
CREATE TABLE "partners" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "partners_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"suspended_at" timestamp with time zone,
	"time_zone" text,
	"usual_zone" text,
	"usual_zone_deals" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "partners_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"hash" text PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"user_agent" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "throttles" (
	"hash" text PRIMARY KEY NOT NULL,
	"tries" integer DEFAULT 1 NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "users_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password_hash" text,
	"role" text NOT NULL,
	"partner_id" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sessions_ended" integer DEFAULT 0 NOT NULL,
	"seen_at" timestamp with time zone,
	"last_visit_at" timestamp with time zone,
	"time_zone" text,
	CONSTRAINT "users_email_unique" UNIQUE("email"),
	CONSTRAINT "users_email_lower_case" CHECK ("users"."email" = lower("users"."email")),
	CONSTRAINT "users_role" CHECK ("users"."role" in ('member', 'admin', 'operator')),
	CONSTRAINT "users_partner_unless_operator" CHECK (("users"."role" = 'operator') = ("users"."partner_id" is null))
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"partner_id" integer,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"who" text NOT NULL,
	"user_id" integer,
	"address" text
);
--> statement-breakpoint
CREATE TABLE "deal_holes" (
	"list_id" integer NOT NULL,
	"position" bigint NOT NULL,
	"deals_before" bigint NOT NULL,
	CONSTRAINT "deal_holes_list_id_position_pk" PRIMARY KEY("list_id","position")
);
--> statement-breakpoint
CREATE TABLE "deal_lists" (
	"id" integer PRIMARY KEY NOT NULL,
	"deal_count" bigint DEFAULT 0 NOT NULL,
	"last_position" bigint DEFAULT 0 NOT NULL,
	"revision" bigint DEFAULT 0 NOT NULL,
	"last_sequence" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deal_places" (
	"list_id" integer NOT NULL,
	"position" bigint NOT NULL,
	"deal_id" bigint NOT NULL,
	CONSTRAINT "deal_places_list_id_position_pk" PRIMARY KEY("list_id","position")
);
--> statement-breakpoint
CREATE TABLE "deals" (
	"id" bigint PRIMARY KEY NOT NULL,
	"partner_id" integer,
	"json" text NOT NULL,
	"render_version" smallint DEFAULT 0 NOT NULL,
	"words" "tsvector",
	"name_key" text collate "C",
	"city" text,
	"state" text,
	"stage" text,
	"pipeline" text,
	"utility_name" text,
	"closer_name" text,
	"lender" text,
	"module_type" text,
	"inverter_type" text,
	"battery" text,
	"amount" double precision,
	"total_ppw" double precision,
	"system_size" double precision,
	"flags" integer,
	"address_key" bigint,
	"people" integer[],
	"roles" integer[],
	"latitude" real,
	"longitude" real,
	"county" integer,
	"last_modified" timestamp with time zone,
	"create_date" timestamp with time zone,
	"time_in_current_stage" timestamp with time zone,
	"cad_completed_at" timestamp with time zone,
	"cad_requested_at" timestamp with time zone,
	"engineering_completed_at" timestamp with time zone,
	"engineering_requested_at" timestamp with time zone,
	"expected_permit_delivery_date_at" timestamp with time zone,
	"funding_submitted_at" timestamp with time zone,
	"hoa_approved_date_at" timestamp with time zone,
	"inspection_requested_at" timestamp with time zone,
	"install_complete_at" timestamp with time zone,
	"installed_scheduled_at" timestamp with time zone,
	"notes_last_updated_at" timestamp with time zone,
	"notes_next_activity_date_at" timestamp with time zone,
	"ntp_approved_at" timestamp with time zone,
	"ntp_requested_at" timestamp with time zone,
	"permit_received_at" timestamp with time zone,
	"permit_submitted_at" timestamp with time zone,
	"re_inspection_requested_at" timestamp with time zone,
	"re_install_scheduled_at" timestamp with time zone,
	"re_sign_date_at" timestamp with time zone,
	"site_survey_completed_at" timestamp with time zone,
	"site_survey_requested_at" timestamp with time zone,
	"redesign_complete_date_at" timestamp with time zone,
	"cad_completed" date,
	"cad_requested" date,
	"engineering_completed" date,
	"engineering_requested" date,
	"expected_permit_delivery_date" date,
	"funding_submitted" date,
	"hoa_approved_date" date,
	"inspection_requested" date,
	"install_complete" date,
	"installed_scheduled" date,
	"notes_last_updated" date,
	"notes_next_activity_date" date,
	"ntp_approved" date,
	"ntp_requested" date,
	"permit_received" date,
	"permit_submitted" date,
	"re_inspection_requested" date,
	"re_install_scheduled" date,
	"re_sign_date" date,
	"site_survey_completed" date,
	"site_survey_requested" date,
	"redesign_complete_date" date
);
--> statement-breakpoint
CREATE TABLE "events" (
	"partner_id" integer NOT NULL,
	"sequence" bigint NOT NULL,
	"type" text NOT NULL,
	"deal_id" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"body" text NOT NULL,
	CONSTRAINT "events_partner_id_sequence_pk" PRIMARY KEY("partner_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "import_batches" (
	"import_id" uuid PRIMARY KEY NOT NULL,
	"batch" integer NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "import_created" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "import_created_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"import_id" integer NOT NULL,
	"deal_ids" bigint[] NOT NULL,
	"version" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "import_former" (
	"import_id" integer NOT NULL,
	"deal_id" bigint NOT NULL,
	"partner_id" integer,
	"json" text NOT NULL,
	"version" text,
	CONSTRAINT "import_former_import_id_deal_id_pk" PRIMARY KEY("import_id","deal_id")
);
--> statement-breakpoint
CREATE TABLE "list_totals" (
	"list_id" integer NOT NULL,
	"kind" text NOT NULL,
	"zone" text NOT NULL,
	"totals" text,
	"revision" bigint,
	"computed_at" timestamp with time zone,
	"valid_until" timestamp with time zone,
	"due_at" timestamp with time zone NOT NULL,
	"read_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "list_totals_list_id_kind_zone_pk" PRIMARY KEY("list_id","kind","zone")
);
--> statement-breakpoint
CREATE TABLE "people" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "people_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"email" text NOT NULL,
	CONSTRAINT "people_name_email_unique" UNIQUE("name","email")
);
--> statement-breakpoint
CREATE TABLE "file_uploads" (
	"id" text PRIMARY KEY NOT NULL,
	"deal_id" bigint NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"received_bytes" bigint DEFAULT 0 NOT NULL,
	"offsets" bigint[] DEFAULT '{}' NOT NULL,
	"user_id" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" text PRIMARY KEY NOT NULL,
	"deal_id" bigint NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"kind" text DEFAULT 'other' NOT NULL,
	"storage" text DEFAULT 'disk' NOT NULL,
	"stored_at" timestamp with time zone DEFAULT now() NOT NULL,
	"checksum" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "health_hours" (
	"hour" timestamp with time zone PRIMARY KEY NOT NULL,
	"requests" integer DEFAULT 0 NOT NULL,
	"errors" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"delivery_lag_s" double precision DEFAULT 0 NOT NULL,
	"source_lag_s" double precision DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "import_mappings" (
	"header_key" text PRIMARY KEY NOT NULL,
	"mapping" text NOT NULL,
	"used_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "imports" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "imports_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"origin" text DEFAULT 'upload' NOT NULL,
	"undoes" integer,
	"corrects" integer,
	"file_name" text NOT NULL,
	"sheet" text,
	"checksum" text,
	"size_bytes" bigint NOT NULL,
	"storage" text DEFAULT 'disk' NOT NULL,
	"offsets" bigint[] DEFAULT '{}' NOT NULL,
	"partner_id" integer,
	"events" boolean NOT NULL,
	"state" text NOT NULL,
	"problem" text,
	"received_bytes" bigint DEFAULT 0 NOT NULL,
	"created" integer DEFAULT 0 NOT NULL,
	"updated" integer DEFAULT 0 NOT NULL,
	"unchanged" integer DEFAULT 0 NOT NULL,
	"rejected" integer DEFAULT 0 NOT NULL,
	"removed" integer DEFAULT 0 NOT NULL,
	"mapping" text,
	"sample" text,
	"user_id" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"alive_at" timestamp with time zone,
	"claim" uuid,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "source_deals" (
	"deal_id" bigint PRIMARY KEY NOT NULL,
	"source_id" integer NOT NULL,
	"modified_ms" bigint NOT NULL,
	"partner_value" text NOT NULL,
	"comparison" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "source_files" (
	"file_id" text PRIMARY KEY NOT NULL,
	"source_id" integer NOT NULL,
	"deal_id" bigint NOT NULL,
	"is_named" boolean DEFAULT true NOT NULL,
	"revision" text,
	"refused" text,
	"problem" text,
	"checked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "source_partners" (
	"source_id" integer NOT NULL,
	"value" text NOT NULL,
	"partner_id" integer NOT NULL,
	CONSTRAINT "source_partners_source_id_value_pk" PRIMARY KEY("source_id","value")
);
--> statement-breakpoint
CREATE TABLE "source_rejects" (
	"source_id" integer NOT NULL,
	"record_id" text NOT NULL,
	"name" text NOT NULL,
	"reason" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "source_rejects_source_id_record_id_pk" PRIMARY KEY("source_id","record_id")
);
--> statement-breakpoint
CREATE TABLE "source_stages" (
	"source_id" integer NOT NULL,
	"pipeline_id" text NOT NULL,
	"stage_id" text NOT NULL,
	"pipeline" text NOT NULL,
	"stage" text NOT NULL,
	"kind" text NOT NULL,
	"order" integer NOT NULL,
	"probability" double precision,
	CONSTRAINT "source_stages_source_id_pipeline_id_stage_id_pk" PRIMARY KEY("source_id","pipeline_id","stage_id")
);
--> statement-breakpoint
CREATE TABLE "source_trials" (
	"source_id" integer PRIMARY KEY NOT NULL,
	"settings" text NOT NULL,
	"asked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"read" integer DEFAULT 0 NOT NULL,
	"result" text
);
--> statement-breakpoint
CREATE TABLE "sources" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "sources_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"secret" text NOT NULL,
	"client_secret" text,
	"settings" text NOT NULL,
	"poll_s" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"paused_at" timestamp with time zone,
	"from_ms" bigint DEFAULT 0 NOT NULL,
	"to_ms" bigint,
	"after_id" bigint DEFAULT 0 NOT NULL,
	"window_read" integer DEFAULT 0 NOT NULL,
	"window_total" integer,
	"window_began_at" timestamp with time zone,
	"loaded_at" timestamp with time zone,
	"as_of" timestamp with time zone,
	"succeeded_at" timestamp with time zone,
	"problem" text,
	"failing_since" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created" integer DEFAULT 0 NOT NULL,
	"updated" integer DEFAULT 0 NOT NULL,
	"unchanged" integer DEFAULT 0 NOT NULL,
	"removed" integer DEFAULT 0 NOT NULL,
	"comparison" integer DEFAULT 0 NOT NULL,
	"comparing_after" text,
	"compare_at" timestamp with time zone,
	"compared_at" timestamp with time zone,
	"is_quiet" boolean DEFAULT false NOT NULL,
	"compared" integer DEFAULT 0 NOT NULL,
	"differing" integer DEFAULT 0 NOT NULL,
	"removals_waiting" integer DEFAULT 0 NOT NULL,
	"removals_approved" integer DEFAULT 0 NOT NULL,
	"placing_at" timestamp with time zone,
	"placing_events" boolean DEFAULT true NOT NULL,
	"claim" uuid,
	"alive_at" timestamp with time zone,
	CONSTRAINT "sources_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "partner_stages" (
	"partner_id" integer NOT NULL,
	"stage" text NOT NULL,
	CONSTRAINT "partner_stages_partner_id_stage_pk" PRIMARY KEY("partner_id","stage")
);
--> statement-breakpoint
CREATE TABLE "stages" (
	"name" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"order" integer NOT NULL,
	"tone" text NOT NULL,
	"probability" double precision
);
--> statement-breakpoint
CREATE TABLE "rate_windows" (
	"owner" text PRIMARY KEY NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"most" bigint NOT NULL,
	"taken" bigint NOT NULL,
	"granted" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "token_days" (
	"token_id" integer NOT NULL,
	"day" date NOT NULL,
	"requests" integer NOT NULL,
	"errors" integer NOT NULL,
	CONSTRAINT "token_days_token_id_day_pk" PRIMARY KEY("token_id","day")
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"partner_id" integer,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"hash" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"last_used_from" text,
	"last_used_by" text,
	"revoked_at" timestamp with time zone,
	"replaced_by_id" integer,
	"warned_at" timestamp with time zone,
	CONSTRAINT "tokens_hash_unique" UNIQUE("hash")
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
CREATE TABLE "attempts" (
	"delivery_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"url" text NOT NULL,
	"signature" text NOT NULL,
	"status" smallint,
	"error" text,
	"response_headers" text NOT NULL,
	"response_body" text NOT NULL,
	CONSTRAINT "attempts_delivery_id_number_pk" PRIMARY KEY("delivery_id","number")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"partner_id" integer NOT NULL,
	"kind" text NOT NULL,
	"sequence" bigint,
	"deal_id" bigint,
	"test_body" text,
	"state" text DEFAULT 'waiting' NOT NULL,
	"due_at" timestamp with time zone,
	"leased_until" timestamp with time zone,
	"claim" integer DEFAULT 0 NOT NULL,
	"attempt_count" integer DEFAULT 0 NOT NULL,
	"last_status" smallint,
	"step" smallint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	"withdrawn_because" text,
	CONSTRAINT "deliveries_due_while_waiting" CHECK (("deliveries"."state" = 'waiting') = ("deliveries"."due_at" is not null)),
	CONSTRAINT "deliveries_test_or_event" CHECK (("deliveries"."sequence" is null) = ("deliveries"."test_body" is not null))
);
--> statement-breakpoint
CREATE TABLE "endpoints" (
	"partner_id" integer NOT NULL,
	"kind" text NOT NULL,
	"url" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"failing_since" timestamp with time zone,
	"failing_answer" text,
	"checked_at" timestamp with time zone,
	"check_answer" text,
	"switched_off_at" timestamp with time zone,
	"switched_off_because" text,
	CONSTRAINT "endpoints_partner_id_kind_pk" PRIMARY KEY("partner_id","kind"),
	CONSTRAINT "endpoints_switched_off_because" CHECK (("endpoints"."switched_off_at" is null) = ("endpoints"."switched_off_because" is null))
);
--> statement-breakpoint
CREATE TABLE "webhook_secrets" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_secrets_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"partner_id" integer NOT NULL,
	"sealed" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "workers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "links" ADD CONSTRAINT "links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_uploads" ADD CONSTRAINT "file_uploads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_deal_id_deals_id_fk" FOREIGN KEY ("deal_id") REFERENCES "public"."deals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_undoes_imports_id_fk" FOREIGN KEY ("undoes") REFERENCES "public"."imports"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_corrects_imports_id_fk" FOREIGN KEY ("corrects") REFERENCES "public"."imports"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_deals" ADD CONSTRAINT "source_deals_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_files" ADD CONSTRAINT "source_files_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_partners" ADD CONSTRAINT "source_partners_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_partners" ADD CONSTRAINT "source_partners_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_rejects" ADD CONSTRAINT "source_rejects_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_stages" ADD CONSTRAINT "source_stages_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_trials" ADD CONSTRAINT "source_trials_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "partner_stages" ADD CONSTRAINT "partner_stages_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "partner_stages" ADD CONSTRAINT "partner_stages_stage_stages_name_fk" FOREIGN KEY ("stage") REFERENCES "public"."stages"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "token_days" ADD CONSTRAINT "token_days_token_id_tokens_id_fk" FOREIGN KEY ("token_id") REFERENCES "public"."tokens"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_replaced_by_id_tokens_id_fk" FOREIGN KEY ("replaced_by_id") REFERENCES "public"."tokens"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "views" ADD CONSTRAINT "views_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "views" ADD CONSTRAINT "views_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "identities_user_id_index" ON "identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "links_user_id_index" ON "links" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "links_expires_at_index" ON "links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_user_id_index" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_expires_at_index" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "throttles_ends_at_index" ON "throttles" USING btree ("ends_at");--> statement-breakpoint
CREATE INDEX "users_partner_id_index" ON "users" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "audit_entries_partner_id_id_index" ON "audit_entries" USING btree ("partner_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_user_id_index" ON "audit_entries" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "deal_holes_list_id_deals_before_position_index" ON "deal_holes" USING btree ("list_id","deals_before","position");--> statement-breakpoint
CREATE INDEX "deal_places_deal_id_index" ON "deal_places" USING btree ("deal_id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_id_index" ON "deals" USING btree ("partner_id","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_last_modified_id_index" ON "deals" USING btree ("partner_id","last_modified","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_create_date_id_index" ON "deals" USING btree ("partner_id","create_date","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_time_in_current_stage_id_index" ON "deals" USING btree ("partner_id","time_in_current_stage","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_name_key_id_index" ON "deals" USING btree ("partner_id","name_key","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_amount_id_index" ON "deals" USING btree ("partner_id","amount","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_system_size_id_index" ON "deals" USING btree ("partner_id","system_size","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_stage_key_id_index" ON "deals" USING btree ("partner_id",lower(stage) collate "C","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_state_key_id_index" ON "deals" USING btree ("partner_id",lower(state) collate "C","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_stage_time_in_current_stage_id_index" ON "deals" USING btree ("partner_id","stage","time_in_current_stage","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_county_id_latitude_longitude_index" ON "deals" USING btree ("partner_id","county","id","latitude","longitude");--> statement-breakpoint
CREATE INDEX "deals_last_modified_id_index" ON "deals" USING btree ("last_modified","id");--> statement-breakpoint
CREATE INDEX "deals_stage_time_in_current_stage_id_index" ON "deals" USING btree ("stage","time_in_current_stage","id");--> statement-breakpoint
CREATE INDEX "deals_words_index" ON "deals" USING gin ("words");--> statement-breakpoint
CREATE INDEX "deals_people_index" ON "deals" USING gin ("people");--> statement-breakpoint
CREATE INDEX "deals_findings_index" ON "deals" USING btree ("partner_id","id") WHERE (flags & 61440) <> 0;--> statement-breakpoint
CREATE INDEX "deals_findings_of_all_index" ON "deals" USING btree ("id") WHERE (flags & 61440) <> 0;--> statement-breakpoint
CREATE INDEX "deals_render_version_id_index" ON "deals" USING btree ("render_version","id");--> statement-breakpoint
CREATE INDEX "events_partner_id_deal_id_sequence_index" ON "events" USING btree ("partner_id","deal_id","sequence");--> statement-breakpoint
CREATE INDEX "import_created_import_id_id_index" ON "import_created" USING btree ("import_id","id");--> statement-breakpoint
CREATE INDEX "file_uploads_deal_id_index" ON "file_uploads" USING btree ("deal_id");--> statement-breakpoint
CREATE INDEX "file_uploads_user_id_index" ON "file_uploads" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "files_deal_id_index" ON "files" USING btree ("deal_id");--> statement-breakpoint
CREATE INDEX "source_deals_source_id_partner_value_index" ON "source_deals" USING btree ("source_id","partner_value");--> statement-breakpoint
CREATE INDEX "source_files_source_id_checked_at_index" ON "source_files" USING btree ("source_id","checked_at");--> statement-breakpoint
CREATE INDEX "source_files_deal_id_index" ON "source_files" USING btree ("deal_id");--> statement-breakpoint
CREATE INDEX "tokens_partner_id_index" ON "tokens" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "tokens_expires_at_index" ON "tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "views_partner_id_index" ON "views" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "attempts_started_at_index" ON "attempts" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("partner_id","kind","due_at","sequence") WHERE "deliveries"."state" = 'waiting' and "deliveries"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "deliveries_chain" ON "deliveries" USING btree ("partner_id","deal_id","sequence") WHERE "deliveries"."state" = 'waiting' and "deliveries"."sequence" is not null;--> statement-breakpoint
CREATE INDEX "deliveries_log" ON "deliveries" USING btree ("partner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deliveries_log_of_create" ON "deliveries" USING btree ("partner_id","created_at","id") WHERE "deliveries"."kind" = 'create';--> statement-breakpoint
CREATE INDEX "deliveries_log_of_deal" ON "deliveries" USING btree ("partner_id","deal_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deliveries_log_of_failed" ON "deliveries" USING btree ("partner_id","created_at","id") WHERE "deliveries"."state" = 'failed';--> statement-breakpoint
CREATE INDEX "deliveries_log_of_status" ON "deliveries" USING btree ("partner_id","last_status","created_at","id") WHERE "deliveries"."last_status" <> 200;--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_secrets_current" ON "webhook_secrets" USING btree ("partner_id") WHERE "webhook_secrets"."expires_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_secrets_partner_id_index" ON "webhook_secrets" USING btree ("partner_id");
--> statement-breakpoint
-- A rendered deal is 4 KB. Kept uncompressed and apart from its row it is written three times as fast as
-- compressed, a page of 25 is read a quarter faster, and the rows that are searched stay narrow.
ALTER TABLE "deals" ALTER COLUMN "json" SET STORAGE EXTERNAL;
--> statement-breakpoint
ALTER TABLE "events" ALTER COLUMN "body" SET STORAGE EXTERNAL;
--> statement-breakpoint
-- The door between deals and webhooks: whoever writes events need not know that they are delivered, and cannot forget it.
-- Asks what waits by index, even if the plan is made while there is nothing.
CREATE FUNCTION enqueue_deliveries() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO deliveries (partner_id, kind, sequence, deal_id, created_at, due_at)
  SELECT event.partner_id, endpoint.kind, event.sequence, event.deal_id, event.created_at, greatest(now(), (
    -- Behind an earlier one of the deal that is to be tried again later: nobody need look at it before.
    SELECT max(earlier.due_at) FROM deliveries earlier
    JOIN endpoints same ON same.partner_id = earlier.partner_id AND same.kind = earlier.kind AND same.url = endpoint.url
    WHERE earlier.partner_id = event.partner_id AND earlier.deal_id = event.deal_id AND earlier.state = 'waiting' AND earlier.sequence IS NOT NULL))
  FROM new_events event
  JOIN endpoints endpoint ON endpoint.partner_id = event.partner_id AND 'deal.' || endpoint.kind || 'd' = event.type
  ORDER BY event.sequence
  -- An address that is being cleared waits for us, and then finds what we leave.
  FOR KEY SHARE OF endpoint;
  IF FOUND THEN
    PERFORM pg_notify('deliveries', format('%s:%s', endpoint.partner_id, endpoint.kind))
    FROM endpoints endpoint WHERE endpoint.partner_id IN (SELECT partner_id FROM new_events);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER enqueue_deliveries AFTER INSERT ON events REFERENCING NEW TABLE AS new_events
FOR EACH STATEMENT EXECUTE FUNCTION enqueue_deliveries();
--> statement-breakpoint
-- The door through which a deal leaves: its place in the partner's list goes with every move and removal, so that no delivery of it can stay behind.
CREATE FUNCTION withdraw_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The partner first, then its endpoints, as everybody holds them who sets addresses or records attempts: nobody waits in a circle.
  PERFORM FROM partners WHERE id IN (SELECT list_id FROM given_up) ORDER BY id FOR KEY SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM FROM endpoints WHERE partner_id IN (SELECT list_id FROM given_up) ORDER BY partner_id, kind FOR NO KEY UPDATE;
  -- In the order of a resend.
  PERFORM FROM deliveries delivery JOIN given_up place ON delivery.partner_id = place.list_id AND delivery.deal_id = place.deal_id
  ORDER BY delivery.created_at, delivery.id FOR UPDATE OF delivery;
  -- The lease stays: an attempt in flight is still recorded.
  UPDATE deliveries delivery SET
    state = CASE delivery.state WHEN 'waiting' THEN 'failed' ELSE delivery.state END, due_at = NULL, finished_at = coalesce(delivery.finished_at, now()),
    -- A deal that is being removed still has its partner.
    withdrawn_because = CASE WHEN deal.partner_id IS NULL THEN 'unassigned' WHEN deal.partner_id = place.list_id THEN 'removed' ELSE 'moved' END
  FROM given_up place JOIN deals deal ON deal.id = place.deal_id
  WHERE delivery.partner_id = place.list_id AND delivery.deal_id = place.deal_id AND delivery.withdrawn_because IS NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER withdraw_deliveries AFTER DELETE ON deal_places REFERENCING OLD TABLE AS given_up
FOR EACH STATEMENT EXECUTE FUNCTION withdraw_deliveries();
--> statement-breakpoint
-- What a user shared with the team stays with it: it goes to whoever removes the user (`app.remover`) if that is a
-- colleague, else to an admin, or else to any other colleague. A taken name gets the former owner's behind it.
CREATE FUNCTION hand_over_views() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  heir integer;
  shared record;
  free text;
  tried integer;
BEGIN
  SELECT id INTO heir FROM users
  WHERE id <> OLD.id AND partner_id IS NOT DISTINCT FROM OLD.partner_id
    AND (password_hash IS NOT NULL OR seen_at IS NOT NULL)
  ORDER BY id IS NOT DISTINCT FROM nullif(current_setting('app.remover', true), '')::integer DESC, role = 'admin' DESC, id
  LIMIT 1;
  IF heir IS NULL THEN
    RETURN OLD;
  END IF;
  FOR shared IN SELECT id, name, partner_id FROM views WHERE user_id = OLD.id AND is_shared ORDER BY id LOOP
    free := shared.name;
    tried := 0;
    WHILE EXISTS (SELECT FROM views
        WHERE user_id = heir AND partner_id IS NOT DISTINCT FROM shared.partner_id AND name = free) LOOP
      tried := tried + 1;
      free := left(shared.name, 40) || ' (' || left(OLD.name, 30) || CASE WHEN tried > 1 THEN ' ' || tried ELSE '' END || ')';
    END LOOP;
    UPDATE views SET user_id = heir, name = free WHERE id = shared.id;
  END LOOP;
  RETURN OLD;
END $$;
--> statement-breakpoint
CREATE TRIGGER hand_over_views BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION hand_over_views();
--> statement-breakpoint
-- Kept totals go by more than the deals of their list: by what stages mean, those of partners by time zones. When that changes, those that name the
-- argument are counted again: all by default. Until that is committed nobody begins to count them, and whoever has begun has lost the lease.
CREATE FUNCTION outdate_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE list_totals IN SHARE ROW EXCLUSIVE MODE;
  UPDATE list_totals SET valid_until = least(valid_until, clock_timestamp()), due_at = least(due_at, clock_timestamp())
  WHERE kind LIKE TG_ARGV[0];
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER outdate_totals AFTER UPDATE OF kind ON stages
FOR EACH ROW WHEN (OLD.kind IS DISTINCT FROM NEW.kind) EXECUTE FUNCTION outdate_totals('%');
--> statement-breakpoint
CREATE TRIGGER outdate_totals AFTER UPDATE OF time_zone, usual_zone ON partners
FOR EACH ROW WHEN ((OLD.time_zone, OLD.usual_zone) IS DISTINCT FROM (NEW.time_zone, NEW.usual_zone)) EXECUTE FUNCTION outdate_totals('partners-%');
--> statement-breakpoint
-- A claim changes no indexed column: with room on the page it stays there and touches no index. What is done is dead soon.
ALTER TABLE deliveries SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);
--> statement-breakpoint
-- By default a table is vacuumed once a fifth of it is dead: of a million deals that is 200,000, which every search by an
-- index meets until then. An import changes indexed columns of a deal, so that room on its page would not help it.
ALTER TABLE deals SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
--> statement-breakpoint
-- Moved all at once, when the gaps of a list are closed or numbered.
ALTER TABLE deal_places SET (autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE deal_holes SET (autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- A few rows that every batch of an import changes, and no index: with room on the page they stay there, and the next
-- reader tidies it up.
ALTER TABLE deal_lists SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Rows that are changed every few seconds or minutes, but for their indexed columns.
ALTER TABLE list_totals SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE endpoints SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE tokens SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE token_days SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE users SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE throttles SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE imports SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE workers SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- A row per import, changed by each of its batches.
ALTER TABLE import_batches SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- A row per source, changed by each page; and rows that each comparison changes.
ALTER TABLE sources SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE source_deals SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Rows that are changed in turn, and whenever their deal is.
ALTER TABLE source_files SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Rows that are changed again and again, some fifty times a minute.
ALTER TABLE rate_windows SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- One row is changed again and again, some ten times a minute by each process.
ALTER TABLE health_hours SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- A ninetieth of the events and a thirtieth of the attempts are removed each day: by default their space would be used
-- again only once a fifth of the table is dead, bodies included.
ALTER TABLE events SET (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE attempts SET (autovacuum_vacuum_scale_factor = 0.05);

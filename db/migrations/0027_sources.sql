CREATE TABLE "source_deals" (
	"deal_id" bigint PRIMARY KEY NOT NULL,
	"source_id" integer NOT NULL,
	"modified_ms" bigint NOT NULL,
	"partner_value" text NOT NULL,
	"comparison" integer NOT NULL
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
ALTER TABLE "source_deals" ADD CONSTRAINT "source_deals_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_partners" ADD CONSTRAINT "source_partners_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_partners" ADD CONSTRAINT "source_partners_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_rejects" ADD CONSTRAINT "source_rejects_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_stages" ADD CONSTRAINT "source_stages_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "source_deals_source_id_partner_value_index" ON "source_deals" USING btree ("source_id","partner_value");--> statement-breakpoint
-- A row per source, changed by each page; and rows that each comparison changes.
ALTER TABLE sources SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE source_deals SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

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
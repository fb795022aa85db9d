CREATE TABLE "source_trials" (
	"source_id" integer PRIMARY KEY NOT NULL,
	"settings" text NOT NULL,
	"asked_at" timestamp with time zone DEFAULT now() NOT NULL,
	"read" integer DEFAULT 0 NOT NULL,
	"result" text
);
--> statement-breakpoint
ALTER TABLE "stages" ADD COLUMN "probability" double precision;--> statement-breakpoint
ALTER TABLE "source_trials" ADD CONSTRAINT "source_trials_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;
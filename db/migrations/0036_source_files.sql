CREATE TABLE "source_files" (
	"file_id" text PRIMARY KEY NOT NULL,
	"source_id" integer NOT NULL,
	"deal_id" bigint NOT NULL,
	"is_named" boolean DEFAULT true NOT NULL,
	"revision" text,
	"problem" text,
	"checked_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "source_files" ADD CONSTRAINT "source_files_source_id_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."sources"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "source_files_source_id_checked_at_index" ON "source_files" USING btree ("source_id","checked_at");--> statement-breakpoint
CREATE INDEX "source_files_deal_id_index" ON "source_files" USING btree ("deal_id");--> statement-breakpoint
-- Rows that are changed in turn, and whenever their deal is.
ALTER TABLE source_files SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE "import_batches" (
	"import_id" uuid PRIMARY KEY NOT NULL,
	"batch" integer NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "claim" uuid;--> statement-breakpoint
-- A row per import, changed by each of its batches.
ALTER TABLE import_batches SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

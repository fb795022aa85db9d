CREATE TABLE "rate_windows" (
	"owner" text PRIMARY KEY NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"most" bigint NOT NULL,
	"taken" bigint NOT NULL,
	"granted" bigint NOT NULL
);
--> statement-breakpoint
-- Rows that are changed again and again, some fifty times a minute.
ALTER TABLE rate_windows SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

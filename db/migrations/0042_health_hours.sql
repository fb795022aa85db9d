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
-- One row is changed again and again, some ten times a minute by each process.
ALTER TABLE health_hours SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

ALTER TABLE "partners" ADD COLUMN "time_zone" text;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "usual_zone" text;--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "usual_zone_deals" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "time_zone" text;
ALTER TABLE "deliveries" ADD COLUMN "last_status" smallint;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "failing_answer" text;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "checked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "check_answer" text;--> statement-breakpoint
CREATE INDEX "deliveries_log_of_status" ON "deliveries" USING btree ("partner_id","last_status","created_at","id") WHERE "deliveries"."last_status" <> 200;
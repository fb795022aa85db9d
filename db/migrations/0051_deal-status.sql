CREATE TABLE "staff_phones" (
	"email" text PRIMARY KEY NOT NULL,
	"phone" text NOT NULL
);
--> statement-breakpoint
DROP INDEX "deals_findings_index";--> statement-breakpoint
DROP INDEX "deals_findings_of_all_index";--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "given" integer;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "hold" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "gate" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "flow_step" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "step_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "due_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "due_step" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "reached" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "steps_done" integer;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "steps_to_do" integer;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "status_changes_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "stage_meaning" text;--> statement-breakpoint
ALTER TABLE "import_former" ADD COLUMN "given" integer;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "day_first" boolean;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "stages" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "connected_at" timestamp with time zone DEFAULT now();--> statement-breakpoint
ALTER TABLE "stages" ADD COLUMN "place" text;--> statement-breakpoint
ALTER TABLE "stages" ADD COLUMN "meaning_changed_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "deals_status_changes_at_index" ON "deals" USING btree ("status_changes_at") WHERE status_changes_at is not null;--> statement-breakpoint
CREATE INDEX "events_partner_id_created_at_index" ON "events" USING btree ("partner_id","created_at");--> statement-breakpoint
CREATE INDEX "deals_findings_index" ON "deals" USING btree ("partner_id","id") WHERE (flags & 8384512) <> 0;--> statement-breakpoint
CREATE INDEX "deals_findings_of_all_index" ON "deals" USING btree ("id") WHERE (flags & 8384512) <> 0;
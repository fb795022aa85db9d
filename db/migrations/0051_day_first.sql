DROP INDEX "deals_findings_index";--> statement-breakpoint
DROP INDEX "deals_findings_of_all_index";--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "day_first" boolean;--> statement-breakpoint
CREATE INDEX "deals_findings_index" ON "deals" USING btree ("partner_id","id") WHERE (flags & 4190208) <> 0;--> statement-breakpoint
CREATE INDEX "deals_findings_of_all_index" ON "deals" USING btree ("id") WHERE (flags & 4190208) <> 0;
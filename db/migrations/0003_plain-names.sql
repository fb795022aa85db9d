ALTER TABLE "deal_holes" RENAME TO "deal_gaps";--> statement-breakpoint
ALTER TABLE "throttles" RENAME COLUMN "tries" TO "attempts";--> statement-breakpoint
ALTER TABLE "imports" RENAME COLUMN "claim" TO "lease_id";--> statement-breakpoint
ALTER TABLE "sources" RENAME COLUMN "claim" TO "lease_id";--> statement-breakpoint
ALTER TABLE "deliveries" RENAME COLUMN "claim" TO "lease";--> statement-breakpoint
ALTER TABLE "webhook_secrets" RENAME COLUMN "sealed" TO "encrypted";--> statement-breakpoint
DROP INDEX "deal_holes_list_id_deals_before_position_index";--> statement-breakpoint
DROP INDEX "deals_findings_index";--> statement-breakpoint
DROP INDEX "deals_findings_of_all_index";--> statement-breakpoint
ALTER TABLE "deal_gaps" DROP CONSTRAINT "deal_holes_list_id_position_pk";--> statement-breakpoint
ALTER TABLE "deal_gaps" ADD CONSTRAINT "deal_gaps_list_id_position_pk" PRIMARY KEY("list_id","position");--> statement-breakpoint
CREATE INDEX "deal_gaps_list_id_deals_before_position_index" ON "deal_gaps" USING btree ("list_id","deals_before","position");--> statement-breakpoint
CREATE INDEX "deals_data_issues_index" ON "deals" USING btree ("partner_id","id") WHERE (flags & 8384512) <> 0;--> statement-breakpoint
CREATE INDEX "deals_data_issues_of_all_index" ON "deals" USING btree ("id") WHERE (flags & 8384512) <> 0;
ALTER TABLE "deals" ADD COLUMN "address_key" bigint;--> statement-breakpoint
CREATE INDEX "deals_findings_index" ON "deals" USING btree ("partner_id","id") WHERE (flags & 61440) <> 0;--> statement-breakpoint
CREATE INDEX "deals_findings_of_all_index" ON "deals" USING btree ("id") WHERE (flags & 61440) <> 0;
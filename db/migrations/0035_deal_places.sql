ALTER TABLE "deals" ADD COLUMN "latitude" real;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "longitude" real;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "county" integer;--> statement-breakpoint
CREATE INDEX "deals_partner_id_county_id_latitude_longitude_index" ON "deals" USING btree ("partner_id","county","id","latitude","longitude");
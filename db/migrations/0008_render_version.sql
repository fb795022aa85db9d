-- What is there now is of version 1, without a row being written for it; a new row whose writer names no version is of none.
ALTER TABLE "deals" ADD COLUMN "render_version" smallint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "deals" ALTER COLUMN "render_version" SET DEFAULT 0;--> statement-breakpoint
-- Deals from before there were columns to find them by, as far as they have not been filled.
UPDATE "deals" SET "render_version" = 0 WHERE "words" IS NULL;--> statement-breakpoint
CREATE INDEX "deals_render_version_id_index" ON "deals" USING btree ("render_version","id");

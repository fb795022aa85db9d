ALTER TABLE "imports" ADD COLUMN "storage" text DEFAULT 'disk' NOT NULL;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "offsets" bigint[] DEFAULT '{}' NOT NULL;
CREATE TABLE "import_mappings" (
	"header_key" text PRIMARY KEY NOT NULL,
	"mapping" text NOT NULL,
	"used_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "mapping" text;
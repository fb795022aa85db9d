ALTER TABLE "imports" ADD COLUMN "stages" text;--> statement-breakpoint
ALTER TABLE "sources" ADD COLUMN "connected_at" timestamp with time zone DEFAULT now();
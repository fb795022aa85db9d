ALTER TABLE "imports" ADD COLUMN "corrects" integer;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "sheet" text;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_corrects_imports_id_fk" FOREIGN KEY ("corrects") REFERENCES "public"."imports"("id") ON DELETE set null ON UPDATE no action;
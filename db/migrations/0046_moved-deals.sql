CREATE TABLE "import_leaving" (
	"import_id" integer NOT NULL,
	"deal_id" bigint NOT NULL,
	"partner_id" integer NOT NULL,
	CONSTRAINT "import_leaving_import_id_deal_id_pk" PRIMARY KEY("import_id","deal_id")
);
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "moves_deals" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "clears_empty" boolean;--> statement-breakpoint
ALTER TABLE "import_leaving" ADD CONSTRAINT "import_leaving_import_id_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."imports"("id") ON DELETE cascade ON UPDATE no action;
CREATE TABLE "import_created" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "import_created_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"import_id" integer NOT NULL,
	"deal_ids" bigint[] NOT NULL,
	"version" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "import_former" (
	"import_id" integer NOT NULL,
	"deal_id" bigint NOT NULL,
	"partner_id" integer,
	"json" text NOT NULL,
	"version" text,
	CONSTRAINT "import_former_import_id_deal_id_pk" PRIMARY KEY("import_id","deal_id")
);
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "origin" text DEFAULT 'upload' NOT NULL;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "undoes" integer;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "checksum" text;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "removed" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "started_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "import_created_import_id_id_index" ON "import_created" USING btree ("import_id","id");--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_undoes_imports_id_fk" FOREIGN KEY ("undoes") REFERENCES "public"."imports"("id") ON DELETE no action ON UPDATE no action;
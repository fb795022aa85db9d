CREATE TABLE "spending" (
	"user_id" integer,
	"partner_id" integer,
	"what" text NOT NULL,
	"began_at" timestamp with time zone NOT NULL,
	"amount" bigint NOT NULL,
	CONSTRAINT "spending_once_an_owner" UNIQUE NULLS NOT DISTINCT("user_id","partner_id","what")
);
--> statement-breakpoint
ALTER TABLE "partners" ADD COLUMN "file_quota_bytes" bigint;--> statement-breakpoint
ALTER TABLE "file_uploads" ADD COLUMN "names" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "spending" ADD CONSTRAINT "spending_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "spending" ADD CONSTRAINT "spending_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "spending_partner_id_index" ON "spending" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "file_uploads_thread_partner_id_index" ON "file_uploads" USING btree ("thread_partner_id");--> statement-breakpoint
CREATE INDEX "files_thread_partner_id_index" ON "files" USING btree ("thread_partner_id");
CREATE TABLE "mails" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "mails_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"recipient" text NOT NULL,
	"encrypted" text,
	"link_hash" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone,
	"problem" text,
	CONSTRAINT "mails_content_until_failed" CHECK (("mails"."encrypted" is null) = ("mails"."due_at" is null))
);
--> statement-breakpoint
ALTER TABLE "users" DROP CONSTRAINT "users_email_unique";--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_link_hash_links_hash_fk" FOREIGN KEY ("link_hash") REFERENCES "public"."links"("hash") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mails_due_at_index" ON "mails" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "mails_link_hash_index" ON "mails" USING btree ("link_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_once_joined" ON "users" USING btree ("email") WHERE "users"."password_hash" is not null or "users"."seen_at" is not null;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_email_once_a_partner" UNIQUE NULLS NOT DISTINCT("email","partner_id");
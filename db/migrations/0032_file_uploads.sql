CREATE TABLE "file_uploads" (
	"id" text PRIMARY KEY NOT NULL,
	"deal_id" bigint NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"received_bytes" bigint DEFAULT 0 NOT NULL,
	"offsets" bigint[] DEFAULT '{}' NOT NULL,
	"user_id" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "file_uploads" ADD CONSTRAINT "file_uploads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "file_uploads_deal_id_index" ON "file_uploads" USING btree ("deal_id");--> statement-breakpoint
CREATE INDEX "file_uploads_user_id_index" ON "file_uploads" USING btree ("user_id");
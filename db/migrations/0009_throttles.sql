DROP TABLE "sign_in_tries" CASCADE;--> statement-breakpoint
CREATE TABLE "throttles" (
	"hash" text PRIMARY KEY NOT NULL,
	"tries" integer DEFAULT 1 NOT NULL,
	"ends_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "throttles_ends_at_index" ON "throttles" USING btree ("ends_at");--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "is_requested" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- Invitations used to outlive the first sign-in.
DELETE FROM "links" USING "users" WHERE "links"."user_id" = "users"."id" AND "links"."kind" = 'invitation' AND ("users"."seen_at" IS NOT NULL OR "users"."password_hash" IS NOT NULL);

CREATE TABLE "attempts" (
	"delivery_id" bigint NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"url" text NOT NULL,
	"signature" text NOT NULL,
	"status" smallint,
	"error" text,
	"response_headers" text NOT NULL,
	"response_body" text NOT NULL,
	CONSTRAINT "attempts_delivery_id_number_pk" PRIMARY KEY("delivery_id","number")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"partner_id" integer NOT NULL,
	"kind" text NOT NULL,
	"sequence" bigint,
	"deal_id" bigint,
	"test_body" text,
	"state" text DEFAULT 'waiting' NOT NULL,
	"due_at" timestamp with time zone,
	"leased_until" timestamp with time zone,
	"claim" integer DEFAULT 0 NOT NULL,
	"attempt_count" integer DEFAULT 0 NOT NULL,
	"step" smallint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "deliveries_due_while_waiting" CHECK (("deliveries"."state" = 'waiting') = ("deliveries"."due_at" is not null)),
	CONSTRAINT "deliveries_test_or_event" CHECK (("deliveries"."sequence" is null) = ("deliveries"."test_body" is not null))
);
--> statement-breakpoint
CREATE TABLE "webhook_secrets" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_secrets_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"partner_id" integer NOT NULL,
	"sealed" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone
);
--> statement-breakpoint
DROP INDEX "deals_partner_id_index";--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "failing_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "switched_off_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "switched_off_because" text;--> statement-breakpoint
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attempts_started_at_index" ON "attempts" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("partner_id","kind","due_at","sequence") WHERE "deliveries"."state" = 'waiting' and "deliveries"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "deliveries_chain" ON "deliveries" USING btree ("partner_id","deal_id","sequence") WHERE "deliveries"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "deliveries_log" ON "deliveries" USING btree ("partner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deliveries_log_of_create" ON "deliveries" USING btree ("partner_id","created_at","id") WHERE "deliveries"."kind" = 'create';--> statement-breakpoint
CREATE INDEX "deliveries_log_of_deal" ON "deliveries" USING btree ("partner_id","deal_id","created_at","id");--> statement-breakpoint
CREATE INDEX "deliveries_log_of_failed" ON "deliveries" USING btree ("partner_id","created_at","id") WHERE "deliveries"."state" = 'failed';--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_secrets_current" ON "webhook_secrets" USING btree ("partner_id") WHERE "webhook_secrets"."expires_at" is null;--> statement-breakpoint
CREATE INDEX "webhook_secrets_partner_id_index" ON "webhook_secrets" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_id_index" ON "deals" USING btree ("partner_id","id");--> statement-breakpoint
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_switched_off_because" CHECK (("endpoints"."switched_off_at" is null) = ("endpoints"."switched_off_because" is null));
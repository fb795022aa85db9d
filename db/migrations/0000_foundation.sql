CREATE TABLE "partners" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "partners_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "partners_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "deal_holes" (
	"list_id" integer NOT NULL,
	"position" bigint NOT NULL,
	"deals_before" bigint NOT NULL,
	CONSTRAINT "deal_holes_list_id_position_pk" PRIMARY KEY("list_id","position")
);
--> statement-breakpoint
CREATE TABLE "deal_lists" (
	"id" integer PRIMARY KEY NOT NULL,
	"deal_count" bigint DEFAULT 0 NOT NULL,
	"last_position" bigint DEFAULT 0 NOT NULL,
	"revision" bigint DEFAULT 0 NOT NULL,
	"last_sequence" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deal_places" (
	"list_id" integer NOT NULL,
	"position" bigint NOT NULL,
	"deal_id" bigint NOT NULL,
	CONSTRAINT "deal_places_list_id_position_pk" PRIMARY KEY("list_id","position")
);
--> statement-breakpoint
CREATE TABLE "deals" (
	"id" bigint PRIMARY KEY NOT NULL,
	"partner_id" integer,
	"json" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"partner_id" integer NOT NULL,
	"sequence" bigint NOT NULL,
	"type" text NOT NULL,
	"deal_id" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"body" text NOT NULL,
	CONSTRAINT "events_partner_id_sequence_pk" PRIMARY KEY("partner_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" text PRIMARY KEY NOT NULL,
	"deal_id" bigint NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tokens_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"partner_id" integer,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"hash" text NOT NULL,
	"scopes" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "tokens_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "endpoints" (
	"partner_id" integer NOT NULL,
	"kind" text NOT NULL,
	"url" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "endpoints_partner_id_kind_pk" PRIMARY KEY("partner_id","kind")
);
--> statement-breakpoint
ALTER TABLE "deal_places" ADD CONSTRAINT "deal_places_deal_id_deals_id_fk" FOREIGN KEY ("deal_id") REFERENCES "public"."deals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deals" ADD CONSTRAINT "deals_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_deal_id_deals_id_fk" FOREIGN KEY ("deal_id") REFERENCES "public"."deals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deal_holes_list_id_deals_before_position_index" ON "deal_holes" USING btree ("list_id","deals_before","position");--> statement-breakpoint
CREATE INDEX "deal_places_deal_id_index" ON "deal_places" USING btree ("deal_id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_index" ON "deals" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "files_deal_id_index" ON "files" USING btree ("deal_id");--> statement-breakpoint
CREATE INDEX "tokens_partner_id_index" ON "tokens" USING btree ("partner_id");
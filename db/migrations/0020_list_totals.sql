CREATE TABLE "list_totals" (
	"list_id" integer NOT NULL,
	"kind" text NOT NULL,
	"zone" text NOT NULL,
	"totals" text,
	"revision" bigint,
	"computed_at" timestamp with time zone,
	"valid_until" timestamp with time zone,
	"due_at" timestamp with time zone NOT NULL,
	"read_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "list_totals_list_id_kind_zone_pk" PRIMARY KEY("list_id","kind","zone")
);

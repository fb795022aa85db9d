CREATE TABLE "closed_gaps" (
	"list_id" integer NOT NULL,
	"closing" integer NOT NULL,
	"position" bigint NOT NULL,
	"gap_count" bigint NOT NULL,
	CONSTRAINT "closed_gaps_list_id_closing_position_pk" PRIMARY KEY("list_id","closing","position")
);
--> statement-breakpoint
ALTER TABLE "deal_lists" ADD COLUMN "closings" integer DEFAULT 0 NOT NULL;
CREATE TABLE "partner_stages" (
	"partner_id" integer NOT NULL,
	"stage" text NOT NULL,
	CONSTRAINT "partner_stages_partner_id_stage_pk" PRIMARY KEY("partner_id","stage")
);
--> statement-breakpoint
CREATE TABLE "stages" (
	"name" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"order" integer NOT NULL,
	"tone" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "partner_stages" ADD CONSTRAINT "partner_stages_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "partner_stages" ADD CONSTRAINT "partner_stages_stage_stages_name_fk" FOREIGN KEY ("stage") REFERENCES "public"."stages"("name") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- The stages of the deals that are there, in the order of how far these deals are, classified by their words.
INSERT INTO stages (name, kind, "order", tone)
SELECT name, kind, progress, CASE
  WHEN kind = 'lost' THEN 'bad'
  WHEN kind = 'won' THEN 'good'
  WHEN kind = 'on-hold' THEN 'wait'
  WHEN name ~* 'cancel|lost|reject|fail' THEN 'bad'
  WHEN name ~* 'waiting|awaiting|pending|review' THEN 'wait'
  WHEN name ~* 'complete|approved|funded|\ypto\y' THEN 'good'
  WHEN name ~* 'survey|design|cad|engineering|preparation|lead|new' THEN 'neutral'
  ELSE 'info' END
FROM (
  SELECT name, progress, CASE
    WHEN NOT is_ahead AND name ~* '\y(?:cancel(?:l?ed|l?ation)?|lost|dead|withdrawn|terminated|disqualified|archived)\y' THEN 'lost'
    WHEN NOT is_ahead AND (name ~* '\y(?:closed|funded)\y|\ypto\W+(?:granted|approved|received|issued|completed?)\y'
      OR name ~* '^[^a-z]*(?:(?:project|job|deal|service|all)\W+)?(?:completed?|done|finished)\s*(?:$|[^\sa-z])') THEN 'won'
    WHEN name ~* '\yhold\y|\ypaused?\y' THEN 'on-hold'
    ELSE 'open' END AS kind
  FROM (
    SELECT stage AS name, stage ~* '\y(?:not|to be|ready|waiting|pending)\y|\y(?:await|partial|request)' AS is_ahead,
      round(10 * avg(num_nonnulls(create_date, site_survey_requested, site_survey_completed, cad_requested, cad_completed,
        redesign_complete_date, re_sign_date, engineering_requested, engineering_completed, ntp_requested, ntp_approved,
        hoa_approved_date, permit_submitted, permit_received, install_complete, inspection_requested, re_inspection_requested,
        funding_submitted)))::integer AS progress
    FROM deals WHERE stage <> '' AND char_length(stage) <= 200
    GROUP BY stage ORDER BY count(*) DESC LIMIT 200
  ) known
) classified;
--> statement-breakpoint
INSERT INTO partner_stages (partner_id, stage)
SELECT DISTINCT partner_id, stage FROM deals JOIN stages ON stages.name = deals.stage WHERE partner_id IS NOT NULL;

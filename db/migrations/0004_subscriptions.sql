CREATE TABLE "event_facts" (
	"partner_id" integer NOT NULL,
	"sequence" bigint NOT NULL,
	"type" text NOT NULL,
	"changed" text[],
	"stage_before" text,
	"stage" text,
	"pipeline_before" text,
	"pipeline" text,
	"state_before" text,
	"state" text,
	"amount_before" double precision,
	"amount" double precision,
	"create_date_before" timestamp with time zone,
	"create_date" timestamp with time zone,
	"marks_before" text,
	"marks" text,
	CONSTRAINT "event_facts_partner_id_sequence_pk" PRIMARY KEY("partner_id","sequence")
);
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "filter" text;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "events" text[];--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "filter" jsonb;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "terms" jsonb;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "changed" text[];--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "since_sequence" bigint;--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "created_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
CREATE INDEX "deliveries_log_of_subscription" ON "deliveries" USING btree ("partner_id","kind","created_at","id") WHERE "deliveries"."kind" <> 'create' and "deliveries"."kind" <> 'update';--> statement-breakpoint
-- What a filter of events compares, as in `FilterTerms`; a pattern has a character for each of the marks.
CREATE TYPE event_filter AS (stages text[], pipelines text[], states text[], amount_min float8, amount_max float8,
  created_after timestamptz, has text[], lacks text[], flags text[]);
--> statement-breakpoint
-- Whether a deal with these values matches a filter. One expression, so that the planner puts it in place of its calls.
CREATE FUNCTION deal_matches(terms event_filter, stage text, pipeline text, state text, amount float8,
  create_date timestamptz, marks text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT (terms.stages IS NULL OR coalesce(stage = ANY (terms.stages), false))
  AND (terms.pipelines IS NULL OR coalesce(pipeline = ANY (terms.pipelines), false))
  AND (terms.states IS NULL OR coalesce(state = ANY (terms.states), false))
  AND (terms.amount_min IS NULL OR coalesce(amount >= terms.amount_min, false))
  AND (terms.amount_max IS NULL OR coalesce(amount <= terms.amount_max, false))
  AND (terms.created_after IS NULL OR coalesce(create_date > terms.created_after, false))
  AND (terms.has IS NULL OR marks LIKE ANY (terms.has))
  AND (terms.lacks IS NULL OR marks LIKE ANY (terms.lacks))
  AND (terms.flags IS NULL OR marks LIKE ANY (terms.flags))
$$;
--> statement-breakpoint
-- How the deal of an event passes a filter: `entered`, `in` or `left`; null if it matched neither before nor after. The
-- only place that decides it: for deliveries, the look back and the list of events.
CREATE FUNCTION event_result(terms event_filter, facts event_facts) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT CASE
  WHEN facts.type <> 'deal.created' AND deal_matches(terms, facts.stage_before, facts.pipeline_before,
    facts.state_before, facts.amount_before, facts.create_date_before, facts.marks_before)
    THEN CASE WHEN facts.type <> 'deal.removed' AND deal_matches(terms, facts.stage, facts.pipeline, facts.state,
      facts.amount, facts.create_date, facts.marks) THEN 'in' ELSE 'left' END
  WHEN facts.type <> 'deal.removed' AND deal_matches(terms, facts.stage, facts.pipeline, facts.state, facts.amount,
    facts.create_date, facts.marks) THEN 'entered'
END
$$;
--> statement-breakpoint
-- The body of an event as a subscription with a filter gets it.
CREATE FUNCTION sent_body(body text, filter text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT CASE WHEN filter IS NULL THEN body ELSE left(body, -1) || ',"filter":"' || filter || '"}' END
$$;
--> statement-breakpoint
-- As before, and subscriptions get the events that pass their filters, with how they passed.
CREATE OR REPLACE FUNCTION enqueue_deliveries() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  notified bigint;
BEGIN
  WITH queued AS (
    INSERT INTO deliveries (partner_id, kind, sequence, deal_id, created_at, filter, due_at)
    SELECT event.partner_id, endpoint.kind, event.sequence, event.deal_id, event.created_at, passed.filter,
      greatest(now(), (
        -- Behind an earlier one of the deal that is to be tried again later: nobody need look at it before.
        SELECT max(earlier.due_at) FROM deliveries earlier
        JOIN endpoints same ON same.partner_id = earlier.partner_id AND same.kind = earlier.kind AND same.url = endpoint.url
        WHERE earlier.partner_id = event.partner_id AND earlier.deal_id = event.deal_id AND earlier.state = 'waiting' AND earlier.sequence IS NOT NULL))
    FROM new_events event
    JOIN endpoints endpoint ON endpoint.partner_id = event.partner_id
      AND event.type = ANY (coalesce(endpoint.events, ARRAY['deal.' || endpoint.kind || 'd']))
    LEFT JOIN LATERAL (
      SELECT facts.changed, CASE WHEN endpoint.terms IS NOT NULL THEN coalesce(event_result(wanted, facts), CASE
        -- That the deal no longer matches was withdrawn with the deal, so the receiver still has it.
        WHEN event.type = 'deal.removed' AND EXISTS (SELECT FROM deliveries withdrawn
          WHERE withdrawn.partner_id = event.partner_id AND withdrawn.deal_id = event.deal_id
            AND withdrawn.kind = endpoint.kind AND withdrawn.state = 'failed' AND withdrawn.filter = 'left')
          THEN 'left' END) END AS filter
      FROM event_facts facts, jsonb_populate_record(NULL::event_filter, coalesce(endpoint.terms, '{}')) wanted
      WHERE (endpoint.terms IS NOT NULL OR endpoint.changed IS NOT NULL)
        AND facts.partner_id = event.partner_id AND facts.sequence = event.sequence
    ) passed ON true
    WHERE (endpoint.terms IS NULL OR passed.filter IS NOT NULL)
      AND (endpoint.changed IS NULL OR event.type <> 'deal.updated' OR passed.changed && endpoint.changed)
    ORDER BY event.sequence
    -- An endpoint that is being cleared waits for us, and then finds what we leave.
    FOR KEY SHARE OF endpoint
    RETURNING partner_id, kind)
  SELECT count(pg_notify('deliveries', format('%s:%s', partner_id, kind))::text) INTO notified
  FROM (SELECT DISTINCT partner_id, kind FROM queued) endpoint;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- A receiver that answers 410 Gone ends its subscription; what waits for it fails.
CREATE FUNCTION end_subscription() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM endpoints WHERE partner_id = NEW.partner_id AND kind = NEW.kind;
  UPDATE deliveries SET state = 'failed', due_at = NULL, leased_until = NULL, finished_at = now()
  WHERE partner_id = NEW.partner_id AND kind = NEW.kind AND state = 'waiting';
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER end_subscription AFTER UPDATE OF switched_off_because ON endpoints
FOR EACH ROW WHEN (NEW.switched_off_because = 'gone' AND NEW.kind <> 'create' AND NEW.kind <> 'update')
EXECUTE FUNCTION end_subscription();

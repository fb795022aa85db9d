CREATE INDEX "deals_create_date_id_index" ON "deals" USING btree ("create_date","id");--> statement-breakpoint
UPDATE "endpoints" SET "terms" = coalesce("terms", '{}') || jsonb_build_object('changed', "changed") WHERE "changed" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "endpoints" DROP COLUMN "changed";--> statement-breakpoint
ALTER TYPE event_filter ADD ATTRIBUTE changed text[];--> statement-breakpoint
-- How an event passes a filter: its deal `entered`, is `in` or `left`; null if it matched neither before nor after, or if
-- an update changed none of the fields. The only place that decides it: for deliveries, the look back, a replay and the list
-- of events.
CREATE OR REPLACE FUNCTION event_result(terms event_filter, facts event_facts) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT CASE
  WHEN facts.type = 'deal.updated' AND NOT coalesce(facts.changed && terms.changed, terms.changed IS NULL) THEN NULL
  WHEN facts.type <> 'deal.created' AND deal_matches(terms, facts.stage_before, facts.pipeline_before,
    facts.state_before, facts.amount_before, facts.create_date_before, facts.marks_before)
    THEN CASE WHEN facts.type <> 'deal.removed' AND deal_matches(terms, facts.stage, facts.pipeline, facts.state,
      facts.amount, facts.create_date, facts.marks) THEN 'in' ELSE 'left' END
  WHEN facts.type <> 'deal.removed' AND deal_matches(terms, facts.stage, facts.pipeline, facts.state, facts.amount,
    facts.create_date, facts.marks) THEN 'entered'
END
$$;
--> statement-breakpoint
-- As before; the changed fields of a subscription are among its terms.
CREATE OR REPLACE FUNCTION enqueue_deliveries() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  notified bigint;
BEGIN
  WITH queued AS (
    INSERT INTO deliveries (partner_id, kind, sequence, deal_id, created_at, filter, due_at)
    SELECT event.partner_id, endpoint.kind, event.sequence, event.deal_id, event.created_at, CASE WHEN endpoint.filter IS NOT NULL THEN passed.result END,
      greatest(now(), (
        -- Behind an earlier one of the deal that is to be tried again later: nobody need look at it before.
        SELECT max(earlier.due_at) FROM deliveries earlier
        JOIN endpoints same ON same.partner_id = earlier.partner_id AND same.kind = earlier.kind AND same.url = endpoint.url
        WHERE earlier.partner_id = event.partner_id AND earlier.deal_id = event.deal_id AND earlier.state = 'waiting' AND earlier.sequence IS NOT NULL))
    FROM new_events event
    JOIN endpoints endpoint ON endpoint.partner_id = event.partner_id
      AND event.type = ANY (coalesce(endpoint.events, ARRAY['deal.' || endpoint.kind || 'd']))
    LEFT JOIN LATERAL (
      SELECT coalesce(event_result(wanted, facts), CASE
        -- That the deal no longer matches was withdrawn with the deal, so the receiver still has it.
        WHEN event.type = 'deal.removed' AND EXISTS (SELECT FROM deliveries withdrawn
          WHERE withdrawn.partner_id = event.partner_id AND withdrawn.deal_id = event.deal_id
            AND withdrawn.kind = endpoint.kind AND withdrawn.state = 'failed' AND withdrawn.filter = 'left')
          THEN 'left' END) AS result
      FROM event_facts facts, jsonb_populate_record(NULL::event_filter, endpoint.terms) wanted
      WHERE endpoint.terms IS NOT NULL AND facts.partner_id = event.partner_id AND facts.sequence = event.sequence
    ) passed ON true
    WHERE (endpoint.terms IS NULL OR passed.result IS NOT NULL)
    ORDER BY event.sequence
    -- An endpoint that is being cleared waits for us, and then finds what we leave.
    FOR KEY SHARE OF endpoint
    RETURNING partner_id, kind)
  SELECT count(pg_notify('deliveries', format('%s:%s', partner_id, kind))::text) INTO notified
  FROM (SELECT DISTINCT partner_id, kind FROM queued) endpoint;
  RETURN NULL;
END $$;

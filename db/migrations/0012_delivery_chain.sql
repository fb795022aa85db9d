DROP INDEX "deliveries_chain";--> statement-breakpoint
CREATE INDEX "deliveries_chain" ON "deliveries" USING btree ("partner_id","deal_id","sequence") WHERE "deliveries"."state" = 'waiting' and "deliveries"."sequence" is not null;--> statement-breakpoint
-- As before, but asks what waits in the words of the new index, and by index even if the plan is made while there is nothing.
CREATE OR REPLACE FUNCTION enqueue_deliveries() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO deliveries (partner_id, kind, sequence, deal_id, created_at, due_at)
  SELECT event.partner_id, endpoint.kind, event.sequence, event.deal_id, event.created_at, greatest(now(), (
    -- Behind an earlier one of the deal that is to be tried again later: nobody need look at it before.
    SELECT max(earlier.due_at) FROM deliveries earlier
    JOIN endpoints same ON same.partner_id = earlier.partner_id AND same.kind = earlier.kind AND same.url = endpoint.url
    WHERE earlier.partner_id = event.partner_id AND earlier.deal_id = event.deal_id AND earlier.state = 'waiting' AND earlier.sequence IS NOT NULL))
  FROM new_events event
  JOIN endpoints endpoint ON endpoint.partner_id = event.partner_id AND 'deal.' || endpoint.kind || 'd' = event.type
  ORDER BY event.sequence
  -- An address that is being cleared waits for us, and then finds what we leave.
  FOR KEY SHARE OF endpoint;
  IF FOUND THEN
    PERFORM pg_notify('deliveries', format('%s:%s', endpoint.partner_id, endpoint.kind))
    FROM endpoints endpoint WHERE endpoint.partner_id IN (SELECT partner_id FROM new_events);
  END IF;
  RETURN NULL;
END $$;

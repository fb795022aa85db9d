-- The door between deals and webhooks: whoever writes events need not know that they are delivered, and cannot forget it.
CREATE FUNCTION enqueue_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (partner_id, kind, sequence, deal_id, created_at, due_at)
  SELECT event.partner_id, endpoint.kind, event.sequence, event.deal_id, event.created_at, greatest(now(), (
    -- Behind an earlier one of the deal that is to be tried again later: nobody need look at it before.
    SELECT max(earlier.due_at) FROM deliveries earlier
    JOIN endpoints same ON same.partner_id = earlier.partner_id AND same.kind = earlier.kind AND same.url = endpoint.url
    WHERE earlier.partner_id = event.partner_id AND earlier.deal_id = event.deal_id AND earlier.due_at IS NOT NULL))
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
--> statement-breakpoint
CREATE TRIGGER enqueue_deliveries AFTER INSERT ON events REFERENCING NEW TABLE AS new_events
FOR EACH STATEMENT EXECUTE FUNCTION enqueue_deliveries();
--> statement-breakpoint
-- A claim changes no indexed column: with room on the page it stays there and touches no index. What is done is dead soon.
ALTER TABLE deliveries SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);

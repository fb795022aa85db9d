ALTER TABLE "deliveries" ADD COLUMN "withdrawn_because" text;--> statement-breakpoint
-- The door through which a deal leaves: its place in the partner's list goes with every move and removal, so that no delivery of it can stay behind.
CREATE FUNCTION withdraw_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The partner first, then its endpoints, as everybody holds them who sets addresses or records attempts: nobody waits in a circle.
  PERFORM FROM partners WHERE id IN (SELECT list_id FROM given_up) ORDER BY id FOR KEY SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM FROM endpoints WHERE partner_id IN (SELECT list_id FROM given_up) ORDER BY partner_id, kind FOR NO KEY UPDATE;
  -- In the order of a resend.
  PERFORM FROM deliveries delivery JOIN given_up place ON delivery.partner_id = place.list_id AND delivery.deal_id = place.deal_id
  ORDER BY delivery.created_at, delivery.id FOR UPDATE OF delivery;
  -- The lease stays: an attempt in flight is still recorded.
  UPDATE deliveries delivery SET
    state = CASE delivery.state WHEN 'waiting' THEN 'failed' ELSE delivery.state END, due_at = NULL, finished_at = coalesce(delivery.finished_at, now()),
    -- A deal that is being removed still has its partner.
    withdrawn_because = CASE WHEN deal.partner_id IS NULL THEN 'unassigned' WHEN deal.partner_id = place.list_id THEN 'removed' ELSE 'moved' END
  FROM given_up place JOIN deals deal ON deal.id = place.deal_id
  WHERE delivery.partner_id = place.list_id AND delivery.deal_id = place.deal_id AND delivery.withdrawn_because IS NULL;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER withdraw_deliveries AFTER DELETE ON deal_places REFERENCING OLD TABLE AS given_up
FOR EACH STATEMENT EXECUTE FUNCTION withdraw_deliveries();
--> statement-breakpoint
-- Those of deals that left before there was a trigger.
UPDATE deliveries delivery SET
  state = CASE delivery.state WHEN 'waiting' THEN 'failed' ELSE delivery.state END, due_at = NULL, finished_at = coalesce(delivery.finished_at, now()),
  withdrawn_because = lost.because
FROM (
  SELECT kept.id, CASE WHEN deal.id IS NULL THEN 'removed' WHEN deal.partner_id IS NULL THEN 'unassigned' ELSE 'moved' END AS because
  FROM deliveries kept LEFT JOIN deals deal ON deal.id = kept.deal_id
  WHERE kept.deal_id IS NOT NULL AND deal.partner_id IS DISTINCT FROM kept.partner_id) lost
WHERE delivery.id = lost.id;

-- As before, and workers that have leased such a delivery learn of it, so that they begin no request about it.
CREATE OR REPLACE FUNCTION withdraw_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  notified bigint;
BEGIN
  -- The partner first, then its endpoints, as everybody holds them who sets addresses or records attempts: nobody waits in a circle.
  PERFORM FROM partners WHERE id IN (SELECT list_id FROM given_up) ORDER BY id FOR KEY SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  PERFORM FROM endpoints WHERE partner_id IN (SELECT list_id FROM given_up) ORDER BY partner_id, kind FOR NO KEY UPDATE;
  -- In the order of a resend.
  PERFORM FROM deliveries delivery JOIN given_up place ON delivery.partner_id = place.list_id AND delivery.deal_id = place.deal_id
  ORDER BY delivery.created_at, delivery.id FOR UPDATE OF delivery;
  WITH withdrawn AS (
    -- The lease stays: an attempt in flight is still recorded.
    UPDATE deliveries delivery SET
      state = CASE delivery.state WHEN 'waiting' THEN 'failed' ELSE delivery.state END, due_at = NULL, finished_at = coalesce(delivery.finished_at, now()),
      -- A deal that is being removed still has its partner.
      withdrawn_because = CASE WHEN deal.partner_id IS NULL THEN 'unassigned' WHEN deal.partner_id = place.list_id THEN 'removed' ELSE 'moved' END
    FROM given_up place JOIN deals deal ON deal.id = place.deal_id
    WHERE delivery.partner_id = place.list_id AND delivery.deal_id = place.deal_id AND delivery.withdrawn_because IS NULL
    RETURNING delivery.id, delivery.partner_id, delivery.kind, delivery.leased_until)
  SELECT count(pg_notify('withdrawals', format('%s:%s:%s', partner_id, kind, id))::text) INTO notified
  FROM withdrawn WHERE leased_until IS NOT NULL;
  RETURN NULL;
END $$;

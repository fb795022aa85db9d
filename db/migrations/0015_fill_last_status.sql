-- Failed and retrying ones alone: few, and those that a search by status code is for.
UPDATE "deliveries" delivery SET "last_status" = (
  SELECT "status" FROM "attempts" attempt WHERE attempt."delivery_id" = delivery."id" ORDER BY attempt."number" DESC LIMIT 1)
WHERE "state" = 'failed' OR ("state" = 'waiting' AND "step" > 0);

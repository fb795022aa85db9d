-- Until now a token without a partner was internal.
UPDATE "tokens" SET "is_internal" = true WHERE "partner_id" IS NULL;

-- Kept totals go by more than the deals of their list: by what stages mean, those of partners by time zones. When that changes, those that name the
-- argument are counted again: all by default. Until that is committed nobody begins to count them, and whoever has begun has lost the lease.
CREATE FUNCTION outdate_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE list_totals IN SHARE ROW EXCLUSIVE MODE;
  UPDATE list_totals SET valid_until = least(valid_until, clock_timestamp()), due_at = least(due_at, clock_timestamp())
  WHERE kind LIKE TG_ARGV[0];
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER outdate_totals AFTER UPDATE OF kind ON stages
FOR EACH ROW WHEN (OLD.kind IS DISTINCT FROM NEW.kind) EXECUTE FUNCTION outdate_totals('%');--> statement-breakpoint
CREATE TRIGGER outdate_totals AFTER UPDATE OF time_zone, usual_zone ON partners
FOR EACH ROW WHEN ((OLD.time_zone, OLD.usual_zone) IS DISTINCT FROM (NEW.time_zone, NEW.usual_zone)) EXECUTE FUNCTION outdate_totals('partners-%');

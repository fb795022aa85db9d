-- What a user shared with the team stays with it: it goes to whoever removes the user (`app.remover`) if that is a
-- colleague, else to an admin, or else to any other colleague. A taken name gets the former owner's behind it.
CREATE FUNCTION hand_over_views() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  heir integer;
  shared record;
  free text;
  tried integer;
BEGIN
  SELECT id INTO heir FROM users
  WHERE id <> OLD.id AND partner_id IS NOT DISTINCT FROM OLD.partner_id
    AND (password_hash IS NOT NULL OR seen_at IS NOT NULL)
  ORDER BY id IS NOT DISTINCT FROM nullif(current_setting('app.remover', true), '')::integer DESC, role = 'admin' DESC, id
  LIMIT 1;
  IF heir IS NULL THEN
    RETURN OLD;
  END IF;
  FOR shared IN SELECT id, name, partner_id FROM views WHERE user_id = OLD.id AND is_shared ORDER BY id LOOP
    free := shared.name;
    tried := 0;
    WHILE EXISTS (SELECT FROM views
        WHERE user_id = heir AND partner_id IS NOT DISTINCT FROM shared.partner_id AND name = free) LOOP
      tried := tried + 1;
      free := left(shared.name, 40) || ' (' || left(OLD.name, 30) || CASE WHEN tried > 1 THEN ' ' || tried ELSE '' END || ')';
    END LOOP;
    UPDATE views SET user_id = heir, name = free WHERE id = shared.id;
  END LOOP;
  RETURN OLD;
END $$;--> statement-breakpoint
CREATE TRIGGER hand_over_views BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION hand_over_views();

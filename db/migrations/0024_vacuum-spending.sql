-- A row is updated with each action that it counts.
ALTER TABLE spending SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

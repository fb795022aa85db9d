-- By default a table is vacuumed once a fifth of it is dead: of a million deals that is 200,000, which every search by an
-- index meets until then. An import changes indexed columns of a deal, so that room on its page would not help it.
ALTER TABLE deals SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
--> statement-breakpoint
-- Moved all at once, when the gaps of a list are closed or numbered.
ALTER TABLE deal_places SET (autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE deal_holes SET (autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- A few rows that every batch of an import changes, and no index: with room on the page they stay there, and the next
-- reader tidies it up.
ALTER TABLE deal_lists SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- Rows that are changed every few seconds or minutes, but for their indexed columns.
ALTER TABLE list_totals SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE endpoints SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE tokens SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE token_days SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE users SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE throttles SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE imports SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE workers SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

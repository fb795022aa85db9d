-- A ninetieth of the events and a thirtieth of the attempts are removed each day: by default their space would be used
-- again only once a fifth of the table is dead, bodies included.
ALTER TABLE events SET (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE attempts SET (autovacuum_vacuum_scale_factor = 0.05);

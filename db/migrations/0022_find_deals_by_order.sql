-- An index entry takes 2,704 bytes at most; later versions cut what they write to as many characters.
UPDATE deals SET stage = left(stage, 500), state = left(state, 500) WHERE length(stage) > 500 OR length(state) > 500;
--> statement-breakpoint
CREATE INDEX "deals_partner_id_create_date_id_index" ON "deals" USING btree ("partner_id","create_date","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_time_in_current_stage_id_index" ON "deals" USING btree ("partner_id","time_in_current_stage","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_name_key_id_index" ON "deals" USING btree ("partner_id","name_key","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_amount_id_index" ON "deals" USING btree ("partner_id","amount","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_system_size_id_index" ON "deals" USING btree ("partner_id","system_size","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_stage_key_id_index" ON "deals" USING btree ("partner_id",lower(stage) collate "C","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_state_key_id_index" ON "deals" USING btree ("partner_id",lower(state) collate "C","id");--> statement-breakpoint
CREATE INDEX "deals_partner_id_stage_time_in_current_stage_id_index" ON "deals" USING btree ("partner_id","stage","time_in_current_stage","id");--> statement-breakpoint
CREATE INDEX "deals_last_modified_id_index" ON "deals" USING btree ("last_modified","id");--> statement-breakpoint
CREATE INDEX "deals_people_index" ON "deals" USING gin ("people");
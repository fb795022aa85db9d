ALTER TABLE "sessions" DROP CONSTRAINT "sessions_chosen_partner_id_partners_id_fk";
--> statement-breakpoint
ALTER TABLE "sessions" DROP COLUMN "chosen_partner_id";
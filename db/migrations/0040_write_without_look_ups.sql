ALTER TABLE "deal_places" DROP CONSTRAINT "deal_places_deal_id_deals_id_fk";
--> statement-breakpoint
ALTER TABLE "deals" DROP CONSTRAINT "deals_partner_id_partners_id_fk";

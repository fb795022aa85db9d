ALTER TABLE "deals" ADD COLUMN "utility_name" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "closer_name" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "lender" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "module_type" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "inverter_type" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "battery" text;--> statement-breakpoint
ALTER TABLE "deals" ADD COLUMN "total_ppw" double precision;
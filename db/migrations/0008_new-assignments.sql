CREATE TABLE "new_assignments" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "new_assignments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"deal_id" bigint NOT NULL,
	"user_id" integer NOT NULL,
	"is_assigned" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "new_assignments" ADD CONSTRAINT "new_assignments_deal_id_deals_id_fk" FOREIGN KEY ("deal_id") REFERENCES "public"."deals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "new_assignments" ADD CONSTRAINT "new_assignments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "new_assignments_deal_id_index" ON "new_assignments" USING btree ("deal_id");--> statement-breakpoint
CREATE INDEX "new_assignments_user_id_index" ON "new_assignments" USING btree ("user_id");
CREATE TABLE "installation" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"key_check" text,
	"backed_up_at" timestamp with time zone,
	CONSTRAINT "installation_is_only" CHECK ("installation"."is_only")
);

CREATE TABLE "staff_phones" (
	"email" text PRIMARY KEY NOT NULL,
	"phone" text NOT NULL
);

import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/** A dealer who sells and waits to be paid. Everything a partner may see hangs on its id. */
export const partners = pgTable('partners', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  slug: text().notNull().unique(),
  name: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
})

/** Someone who signs in to the portal. */
export const users = pgTable('users', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  /** In lower case, so that nobody is there twice. */
  email: text().notNull().unique(),
  name: text().notNull(),
  /** Argon2id in PHC string format. */
  passwordHash: text('password_hash').notNull(),
  role: text({ enum: ['member', 'admin', 'operator'] }).notNull(),
  /** Null for the installer's own staff. */
  partnerId: integer('partner_id').references(() => partners.id),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
}, (user) => [
  index().on(user.partnerId),
  check('users_email_lower_case', sql`${user.email} = lower(${user.email})`),
  check('users_role', sql`${user.role} in ('member', 'admin', 'operator')`),
  check('users_partner_unless_operator', sql`(${user.role} = 'operator') = (${user.partnerId} is null)`),
])

/** A browser in which a user is signed in. The token in its cookie is never kept, only the SHA-256 of it in hexadecimal. */
export const sessions = pgTable('sessions', {
  hash: text().primaryKey(),
  userId: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
}, (session) => [index().on(session.userId), index().on(session.expiresAt)])

/** How often someone tried to sign in with an address, whether that is a user's or not. */
export const signInTries = pgTable('sign_in_tries', {
  /** SHA-256 of what was typed as the address, in hexadecimal: some people type their password there. */
  addressHash: text('address_hash').primaryKey(),
  tries: integer().notNull().default(1),
  since: timestamp({ withTimezone: true }).notNull().defaultNow(),
}, (entry) => [index().on(entry.since)])

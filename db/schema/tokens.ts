import { index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { partners } from './accounts.ts'

/** An API token. Its text is shown once and never kept; `hash` is the SHA-256 of it in hexadecimal. */
export const tokens = pgTable('tokens', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  /** Null for an internal token: the installer's own staff. */
  partnerId: integer('partner_id').references(() => partners.id),
  name: text().notNull(),
  /** The first characters, to recognise it by. */
  prefix: text().notNull(),
  hash: text().notNull().unique(),
  scopes: text().array().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
  revokedAt: timestamp('revoked_at', { withTimezone: true }),
}, (token) => [index().on(token.partnerId)])

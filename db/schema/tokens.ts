import { sql } from 'drizzle-orm'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core'
import { instant, partners } from './accounts.ts'

/** An API token. The text of the token is shown once and never stored. `hash` is its hexadecimal SHA-256. */
export const tokens = pgTable(
  'tokens',
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /** The partner whose data the token can read, or null for an internal token. */
    partnerId: integer('partner_id').references(() => partners.id),
    /** True if the token belongs to the installer's staff and can read the data of all partners. */
    isInternal: boolean('is_internal').notNull().default(false),
    name: text().notNull(),
    /** The first characters of the token, for recognizing it. */
    prefix: text().notNull(),
    hash: text().notNull().unique(),
    scopes: text().array().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at'),
    lastUsedAt: instant('last_used_at'),
    /** IP address and `User-Agent` of the last use. */
    lastUsedFrom: text('last_used_from'),
    lastUsedBy: text('last_used_by'),
    revokedAt: instant('revoked_at'),
    /** The token that replaces this one. Both are valid until this one expires. */
    replacedById: integer('replaced_by_id').references((): AnyPgColumn => tokens.id),
    /**
     * Content of a sheet link: the filter, sort order, and columns of a view when the link was created
     * (`server/sheets/sheet.ts`). Null for a token of the REST API.
     */
    sheet: jsonb(),
    /** When the partner's admins were warned that the token will expire. */
    warnedAt: instant('warned_at'),
  },
  (token) => [
    index().on(token.partnerId),
    index().on(token.expiresAt),
    check('tokens_of_partners_are_not_internal', sql`not ${token.isInternal} or ${token.partnerId} is null`),
  ],
)

/** Requests leased per rate limit in the current window. */
export const rateWindows = pgTable('rate_windows', {
  /** A token or partner, by id. */
  owner: text().primaryKey(),
  endsAt: instant('ends_at').notNull(),
  /** Maximum number of requests in the window. */
  most: bigint({ mode: 'number' }).notNull(),
  taken: bigint({ mode: 'number' }).notNull(),
  /** Number of requests granted by the last lease. */
  granted: bigint({ mode: 'number' }).notNull(),
})

/** Requests made with a token per day (UTC). */
export const tokenDays = pgTable(
  'token_days',
  {
    tokenId: integer('token_id')
      .notNull()
      .references(() => tokens.id, { onDelete: 'cascade' }),
    day: date().notNull(),
    requests: integer().notNull(),
    /** Number of requests with a status of 400 or more. */
    errors: integer().notNull(),
  },
  (use) => [primaryKey({ columns: [use.tokenId, use.day] })],
)

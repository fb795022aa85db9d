import { bigint, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { partners } from './accounts.ts'

/** The deals. `json` is the deal byte for byte as partners receive it; the columns beside it exist to find it. */
export const deals = pgTable('deals', {
  id: bigint({ mode: 'bigint' }).primaryKey(),
  /** Null: belongs to no partner, only internal tokens see it. */
  partnerId: integer('partner_id').references(() => partners.id),
  json: text().notNull(),
}, (deal) => [index().on(deal.partnerId, deal.id)])

/**
 * What is kept of a list of deals instead of being counted at each request.
 * A list is a partner's, under the partner's id, or the one of all deals, under id 0, which only internal tokens walk.
 */
export const dealLists = pgTable('deal_lists', {
  id: integer().primaryKey(),
  /** How many deals are in it. */
  dealCount: bigint('deal_count', { mode: 'number' }).notNull().default(0),
  /** The position handed out last. */
  lastPosition: bigint('last_position', { mode: 'number' }).notNull().default(0),
  /** Goes up with each transaction that changes what the list shows. */
  revision: bigint({ mode: 'number' }).notNull().default(0),
  /** The sequence of the partner's newest event. */
  lastSequence: bigint('last_sequence', { mode: 'number' }).notNull().default(0),
})

/** Where a deal stands in a list. Positions only grow; a removed deal leaves a hole. */
export const dealPlaces = pgTable('deal_places', {
  listId: integer('list_id').notNull(),
  position: bigint({ mode: 'number' }).notNull(),
  dealId: bigint('deal_id', { mode: 'bigint' }).notNull().references(() => deals.id, { onDelete: 'cascade' }),
}, (place) => [primaryKey({ columns: [place.listId, place.position] }), index().on(place.dealId)])

/** A position of a list without a deal, and how many deals stand before it. */
export const dealHoles = pgTable('deal_holes', {
  listId: integer('list_id').notNull(),
  position: bigint({ mode: 'number' }).notNull(),
  dealsBefore: bigint('deals_before', { mode: 'number' }).notNull(),
}, (hole) => [primaryKey({ columns: [hole.listId, hole.position] }), index().on(hole.listId, hole.dealsBefore, hole.position)])

/** What happened to a deal, as the partner is told: the body is frozen when the change is made. */
export const events = pgTable('events', {
  partnerId: integer('partner_id').notNull().references(() => partners.id),
  sequence: bigint({ mode: 'number' }).notNull(),
  type: text({ enum: ['deal.created', 'deal.updated'] }).notNull(),
  dealId: bigint('deal_id', { mode: 'bigint' }).notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  body: text().notNull(),
}, (event) => [primaryKey({ columns: [event.partnerId, event.sequence] })])

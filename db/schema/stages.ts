import { integer, pgTable, text } from 'drizzle-orm/pg-core'

/** The stages that deals are or were in, the same for all partners, each inserted with the first deal in it. */
export const stages = pgTable('stages', {
  /** As the CRM spells it. */
  name: text().primaryKey(),
  kind: text({ enum: ['open', 'on-hold', 'won', 'lost'] }).notNull(),
  /** Stages of one kind are shown in this order, the lowest first. */
  order: integer().notNull(),
  tone: text({ enum: ['neutral', 'info', 'wait', 'good', 'bad'] }).notNull(),
})

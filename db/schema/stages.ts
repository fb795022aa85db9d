import { sql } from 'drizzle-orm'
import { doublePrecision, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import type { StagePlace } from '#server/stages/place.ts'
import type { StageKind, StageTone } from '#server/stages/stage.ts'
import { partners } from './accounts.ts'

/**
 * The current and former stages of deals, shared by all partners, each inserted with the first deal in it.
 */
export const stages = pgTable('stages', {
  /** In the CRM's spelling. */
  name: text().primaryKey(),
  kind: text().$type<StageKind>().notNull(),
  /** The display order among stages of one kind, lowest first. */
  order: integer().notNull(),
  /** The operator's choice; empty for the phase's color. */
  tone: text().$type<StageTone | ''>().notNull(),
  /** The operator's choice, including `none`; null: derived from the name. */
  place: text().$type<StagePlace | 'none'>(),
  /** When kind or place last changed; the stage's deals are then recomputed. */
  meaningChangedAt: timestamp('meaning_changed_at', { withTimezone: true }),
  /** Win probability from 0 to 1 according to the CRM; null if unknown. */
  probability: doublePrecision(),
  /** Names of stages merged into this one; incoming deals with them are in this stage. */
  spellings: text()
    .array()
    .notNull()
    .default(sql`'{}'`),
})

/** The current and former stages of a partner's deals, the only ones visible to it. */
export const partnerStages = pgTable(
  'partner_stages',
  {
    partnerId: integer('partner_id')
      .notNull()
      .references(() => partners.id),
    stage: text()
      .notNull()
      .references(() => stages.name, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.stage] })],
)

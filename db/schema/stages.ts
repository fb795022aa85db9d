import { sql } from 'drizzle-orm'
import { doublePrecision, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { StagePlace } from '#server/stages/place.ts'
import type { StageKind, StageTone } from '#server/stages/stage.ts'
import { instant, partnerRef } from './accounts.ts'

/**
 * Current and former stages of deals, shared by all partners. A stage is inserted with the first deal in the
 * stage.
 */
export const stages = pgTable('stages', {
  /** Name as spelled in the CRM. */
  name: text().primaryKey(),
  kind: text().$type<StageKind>().notNull(),
  /** Display order among stages of the same kind, lowest first. */
  order: integer().notNull(),
  /** Color chosen by an operator, or empty for the color of the phase. */
  tone: text().$type<StageTone | ''>().notNull(),
  /** Position chosen by an operator, including `none`. If null, the position is derived from the name. */
  place: text().$type<StagePlace | 'none'>(),
  /** When kind or position last changed, after which the stage's deals are recomputed. */
  meaningChangedAt: instant('meaning_changed_at'),
  /** Win probability from 0 to 1 according to the CRM, or null if unknown. */
  probability: doublePrecision(),
  /** Names of stages that were merged into this stage. Incoming deals with these names get this stage. */
  spellings: text()
    .array()
    .notNull()
    .default(sql`'{}'`),
})

/** Current and former stages of a partner's deals. The partner can see only these stages. */
export const partnerStages = pgTable(
  'partner_stages',
  {
    partnerId: partnerRef(),
    stage: text()
      .notNull()
      .references(() => stages.name, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.stage] })],
)

import type { Database } from '#db/client.ts'
import type { Reach } from '../../accounts/partner.ts'
import type { Zone } from '../../protocol/zone.ts'
import { makeStageOf } from '../../stages/stage.ts'
import { readStages } from '../../stages/store.ts'
import { portionsOf } from '../portions.ts'
import { parseKnown } from '../render.ts'
import { readPartnerNames } from './partner-store.ts'
import { type RowField, type RowRules, needsRules, ownFields, rowJson, rowRules } from './row.ts'

/** Returns the rules for what was asked for, with the stages of the deals within reach as they are now. */
export async function readRules(
  db: Database,
  { reach, zone }: { reach: Reach; zone: Zone },
  asked: readonly RowField[],
): Promise<RowRules> {
  const stageOf = makeStageOf(needsRules(asked) ? await readStages(db, reach) : [])
  return rowRules(asked, stageOf, Date.now(), zone)
}

/** Returns the names of the deals' partners by id of the deal; null when they were not asked for. */
export async function readPartnersOf(
  db: Database,
  reach: Reach,
  deals: readonly { id: bigint }[],
  asked: readonly RowField[],
): Promise<Map<bigint, string> | null> {
  if (!asked.includes('partner')) return null
  return readPartnerNames(
    db,
    reach,
    deals.map(({ id }) => id),
  )
}

/** Returns the rows of deals within reach as JSON, separated by commas. */
export async function renderRows(
  db: Database,
  reach: Reach,
  found: readonly { id: bigint; json: string; given: number | null }[],
  asked: readonly RowField[],
  rules: RowRules,
): Promise<string> {
  const partners = await readPartnersOf(db, reach, found, asked)
  const fields = ownFields(asked)
  const rows: string[] = []
  for await (const portion of portionsOf(found))
    rows.push(...portion.map(({ json, given }) => rowJson(parseKnown(json, given), fields, rules, partners)))
  return rows.join(',')
}

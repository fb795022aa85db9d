import type { Database } from '#db/client.ts'
import type { TenantScope } from '../../accounts/partner.ts'
import type { Zone } from '../../protocol/zone.ts'
import { makeStageOf } from '../../stages/stage.ts'
import { readStages } from '../../stages/store.ts'
import { portionsOf } from '../portions.ts'
import { parseKnown } from '../render.ts'
import { readPartnerNames } from './partner-store.ts'
import { type Derive, type RowField, derivesOf, needsStages, ownFields, rowJson } from './row.ts'

/** Returns the function that derives what was asked for, with the stages of the tenant's deals as they are now. */
export async function readDerive(
  db: Database,
  { tenant, zone }: { tenant: TenantScope; zone: Zone },
  asked: readonly RowField[],
): Promise<Derive> {
  const stageOf = makeStageOf(needsStages(asked) ? await readStages(db, tenant) : [])
  return derivesOf(asked, stageOf, Date.now(), zone)
}

/** Returns the names of the deals' partners by id of the deal; null when they were not asked for. */
export async function readPartnersOf(
  db: Database,
  tenant: TenantScope,
  deals: readonly { id: bigint }[],
  asked: readonly RowField[],
): Promise<Map<bigint, string> | null> {
  if (!asked.includes('partner')) return null
  return readPartnerNames(
    db,
    tenant,
    deals.map(({ id }) => id),
  )
}

/** Returns the rows of deals of the tenant as JSON, separated by commas. */
export async function renderRows(
  db: Database,
  tenant: TenantScope,
  found: readonly { id: bigint; json: string; given: number | null }[],
  asked: readonly RowField[],
  derive: Derive,
): Promise<string> {
  const partners = await readPartnersOf(db, tenant, found, asked)
  const fields = ownFields(asked)
  const rows: string[] = []
  for await (const portion of portionsOf(found))
    rows.push(...portion.map(({ json, given }) => rowJson(parseKnown(json, given), fields, derive, partners)))
  return rows.join(',')
}

import type { Database } from '#db/client.ts'
import { type PartnerId, type TenantScope, isEveryone } from '../accounts/partner.ts'
import { type Partner, zoneOfPartner, isWithin } from '../accounts/store.ts'
import { readLastVisit } from '../accounts/user-store.ts'
import { portionsOf } from '../admission/portions.ts'
import { readAssigneeNames } from '../deals/assignee-store.ts'
import { type DealField, type KnownDeal, dealFields } from '../deals/deal.ts'
import {
  type Derived,
  type DerivedColumn,
  type DerivedName,
  type LookedUpName,
  derivations,
  derivedColumns,
  derivedNames,
  type ReadUsual,
} from '../deals/derived-columns.ts'
import { readObserved } from '../deals/event-store.ts'
import { type Observed, notObserved, withObserved } from '../deals/event.ts'
import type { UsualSteps } from '../deals/payment.ts'
import { renderValue, parseKnown } from '../deals/render.ts'
import { type StageOf, makeStageOf } from '../stages/stage.ts'
import { readStages } from '../stages/store.ts'
import { shorten } from '../values/short-text.ts'
import type { Zone } from '../values/zone.ts'
import { dealsChangedSince } from './news-store.ts'

/**
 * Returns the function that derives the requested columns, using the current stages of the tenant's deals.
 */
export async function readDerive(
  db: Database,
  { tenant, zone }: { tenant: TenantScope; zone: Zone },
  requested: readonly RowField[],
): Promise<Derive> {
  const stages = needsStages(requested) ? await readStages(db, tenant) : []
  return derivesOf(requested, makeStageOf(stages), { nowMs: Date.now(), zone })
}

/**
 * Returns the usual step durations of each deal's partner if payments are requested. Staff and partners thus
 * see the same expected payment.
 */
async function readUsuals(
  db: Database,
  { tenant, zone }: { tenant: TenantScope; zone: Zone },
  ids: readonly bigint[],
  requested: readonly RowField[],
  readUsual: ReadUsual,
): Promise<(id: bigint) => UsualSteps | null> {
  if (!requested.includes('payment')) return () => null
  if (!isEveryone(tenant)) {
    const usual = await readUsual(tenant, zone)
    return () => usual
  }
  const partners = await readDealPartners(db, tenant, ids)
  const zones = new Map(partners.values().map((partner) => [partner.tenant, partner.zone]))
  const usuals = new Map(
    await Promise.all(
      zones.entries().map(async ([partner, days]) => [partner, await readUsual(partner, days)] as const),
    ),
  )
  return (id) => {
    const partner = partners.get(id)
    return (partner && usuals.get(partner.tenant)) ?? null
  }
}

interface Viewer {
  tenant: TenantScope
  user: { id: number } | null
}

/** Reads the requested columns that need a lookup, within the viewer's tenant. */
async function readLookedUp(
  db: Database,
  { tenant, user }: Viewer,
  deals: readonly { id: bigint }[],
  requested: readonly RowField[],
): Promise<LookedUp> {
  const ids = deals.map(({ id }) => id)
  const [partner, assignee, isUnseen] = await Promise.all([
    requested.includes('partner') ? readPartnerNames(db, tenant, ids) : null,
    requested.includes('assignee') ? readAssigneeNames(db, tenant, ids) : null,
    requested.includes('isUnseen') && user !== null ? readUnseen(db, tenant, user.id, ids) : null,
  ])
  return {
    ...(partner !== null && { partner }),
    ...(assignee !== null && { assignee }),
    ...(isUnseen !== null && { isUnseen }),
  }
}

/**
 * Returns the ids of the deals that changed since the user's last visit, or an empty set on the first visit.
 */
async function readUnseen(db: Database, tenant: TenantScope, userId: number, ids: readonly bigint[]) {
  const visit = await readLastVisit(db, userId)
  const unseen = visit === null ? [] : await dealsChangedSince(db, tenant, visit, ids)
  return new Map(unseen.map((id) => [id, true]))
}

/** A deal in an export: all its fields and the requested derived columns. */
export type ExportedDeal = KnownDeal &
  Partial<Derived> & { partner?: string | null; assignee?: string | null }

/**
 * Returns the function that parses stored deals of the viewer's tenant and adds the requested derived
 * columns.
 */
export async function readExported(
  db: Database,
  viewer: Viewer & { zone: Zone },
  derived: readonly RowField[],
  readUsual: ReadUsual,
): Promise<(stored: readonly { json: string; given: number | null }[]) => Promise<ExportedDeal[]>> {
  const derive = await readDerive(db, viewer, derived)
  return async (stored) => {
    const deals = stored.map(({ json, given }) => parseKnown(json, given))
    const ids = deals.map(({ id }) => id)
    const [{ partner, assignee }, usualOf, observed] = await Promise.all([
      readLookedUp(db, viewer, deals, derived),
      readUsuals(db, viewer, ids, derived, readUsual),
      derived.includes('payment') ? readObserved(db, viewer.tenant, ids) : new Map<bigint, Observed>(),
    ])
    return deals.map((deal) => ({
      ...deal,
      ...derive(withObserved({ ...deal, observed: observed.get(deal.id) ?? notObserved }), usualOf(deal.id)),
      partner: (partner?.get(deal.id) as string) ?? null,
      assignee: (assignee?.get(deal.id) as string) ?? null,
    }))
  }
}

/** Columns whose values may have a time at which the portal first saw them. */
const observedFields: ReadonlySet<RowField> = new Set(['timeInCurrentStage', 'lastModified', 'payment'])
/** Returns the rows of the viewer's deals as comma-separated JSON. */
export async function renderRows(
  db: Database,
  viewer: Viewer & { zone: Zone },
  found: readonly { id: bigint; json: string; given: number | null }[],
  requested: readonly RowField[],
  derive: Derive,
  readUsual: ReadUsual,
): Promise<string> {
  const isTimed = requested.some((field) => observedFields.has(field))
  const ids = found.map(({ id }) => id)
  const [lookedUp, usualOf, observed] = await Promise.all([
    readLookedUp(db, viewer, found, requested),
    readUsuals(db, viewer, ids, requested, readUsual),
    isTimed ? readObserved(db, viewer.tenant, ids) : new Map<bigint, Observed>(),
  ])
  const fields = ownFields(requested)
  const rows: string[] = []
  for await (const portion of portionsOf(found))
    rows.push(
      ...portion.map(({ id, json, given }) => {
        const deal = withObserved({ ...parseKnown(json, given), observed: observed.get(id) ?? notObserved })
        return rowJson(
          deal,
          fields,
          derive(deal, usualOf(id)),
          lookedUp,
          requested.includes('timeInCurrentStage') ? deal.seenAt : null,
        )
      }),
    )
  return joinRows(rows)
}

/**
 * Maximum size of the rows in bytes. A page sends ten requests at the same time, and a text field can hold 256 KB.
 */
const rowsMaxBytes = 1024 * 1024

/** Maximum length of texts when rows with texts of `textMax` would be too large. */
const shortTextMax = 40

/** Joins the rows with commas, shortening texts if the rows would be too large. */
export function joinRows(rows: string[]): string {
  const isFitting = (some: string[]) =>
    some.reduce((sum, row) => sum + Buffer.byteLength(row), 0) <= rowsMaxBytes
  if (isFitting(rows)) return rows.join(',')
  const shortened = rows.map((row) => shorten(row))
  return (isFitting(shortened) ? shortened : rows.map((row) => shorten(row, shortTextMax))).join(',')
}

/** Returns the partner names of these deals of the tenant, by deal id. Omits deals without a partner. */
export async function readPartnerNames(
  { $client: sql }: Pick<Database, '$client'>,
  tenant: TenantScope,
  ids: readonly bigint[],
): Promise<Map<bigint, string>> {
  const rows = await sql<{ id: string; name: string }[]>`
    select deals.id::text as id, partners.name from deals join partners on partners.id = deals.partner_id
      where deals.id = any(${ids.map(String)}::bigint[])
        and ${isWithin(sql, tenant, sql`deals.partner_id`)}`
  return new Map(rows.map(({ id, name }) => [BigInt(id), name]))
}

/** Returns the partners and time zones of these deals of the tenant, by deal id. */
export async function readDealPartners(
  { $client: sql }: Pick<Database, '$client'>,
  tenant: TenantScope,
  ids: readonly bigint[],
): Promise<Map<bigint, { tenant: PartnerId; zone: Zone }>> {
  const rows = await sql<({ id: string; partner: PartnerId } & Pick<Partner, 'timeZone' | 'usualZone'>)[]>`
    select deals.id::text as id, partners.id as partner, time_zone as "timeZone", usual_zone as "usualZone"
      from deals join partners on partners.id = deals.partner_id
      where deals.id = any(${ids.map(String)}::bigint[])
        and ${isWithin(sql, tenant, sql`deals.partner_id`)}`
  return new Map(
    rows.map(({ id, partner, ...zones }) => [BigInt(id), { tenant: partner, zone: zoneOfPartner(zones) }]),
  )
}

/** A column of a row: a field of the deal or a derived column. */
export type RowField = DealField | DerivedColumn

export type Derive = (deal: KnownDeal, usual: UsualSteps | null) => Partial<Derived>

const namesIn = (requested: readonly RowField[]): DerivedName[] =>
  derivedNames.filter((name) => requested.includes(name))

function derivesOf(
  requested: readonly RowField[],
  stageOf: StageOf,
  clock: { nowMs: number; zone: Zone },
): Derive {
  const names = namesIn(requested)
  return (deal, usual) =>
    Object.fromEntries(
      names.map((name) => [name, derivations[name](deal, stageOf(deal.stage), { ...clock, usual })]),
    )
}

/** Returns true if any requested column is derived from the deal's stage and dates. */
const needsStages = (requested: readonly RowField[]): boolean => namesIn(requested).length > 0

const isDerived = (field: RowField): field is DerivedColumn =>
  (derivedColumns as readonly string[]).includes(field)

/** Returns the deal's own fields in a row: the id and the requested fields. */
const ownFields = (requested: readonly RowField[]): DealField[] => [
  ...new Set<DealField>(['id', ...requested.filter((field) => !isDerived(field))]),
]

type LookedUp = Partial<Record<LookedUpName, ReadonlyMap<bigint, string | boolean>>>

/** Returns a row as JSON. `seenAt` is the time when the portal first saw the deal in its stage. */
function rowJson(
  deal: KnownDeal,
  fields: readonly DealField[],
  derived: Partial<Derived>,
  lookedUp: LookedUp,
  seenAt: string | null = null,
): string {
  const members = fields.map((field) => {
    const value = deal[field]
    // The API sends false for a flag that no source sent, while the portal shows "unknown".
    return `"${field}":${value === null ? 'null' : renderValue(dealFields[field].kind, value)}`
  })
  for (const [name, value] of Object.entries(derived)) members.push(`"${name}":${JSON.stringify(value)}`)
  for (const [name, values] of Object.entries(lookedUp))
    members.push(`"${name}":${JSON.stringify(values.get(deal.id) ?? null)}`)
  if (seenAt !== null) members.push(`"seenAt":"${seenAt}"`)
  return `{${members.join(',')}}`
}

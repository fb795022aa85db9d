import type { Database } from '#db/client.ts'
import { type PartnerId, type TenantScope, isEveryone } from '../accounts/partner.ts'
import { type Partner, zoneOfPartner, isWithin } from '../accounts/store.ts'
import { readLastVisit } from '../accounts/user-store.ts'
import { portionsOf } from '../admission/scheduling.ts'
import { readAssigneeNames } from '../deals/assignee-store.ts'
import { type DealField, type KnownDeal, dealFields } from '../deals/deal.ts'
import {
  type Derived,
  type DerivedColumn,
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
import { makeStageOf } from '../stages/stage.ts'
import { readStages } from '../stages/store.ts'
import { shorten } from '../values/short-text.ts'
import { dealsChangedSince } from './news-store.ts'
import type { ZonedTenant } from './totals-store.ts'

/** Returns the function that derives the requested columns, using the current stages of the tenant's deals. */
async function readDerive(
  db: Database,
  { tenant, zone }: ZonedTenant,
  requested: readonly RowField[],
): Promise<(deal: KnownDeal, usual: UsualSteps | null) => Partial<Derived>> {
  const names = derivedNames.filter((name) => requested.includes(name))
  const stageOf = makeStageOf(names.length > 0 ? await readStages(db, tenant) : [])
  const nowMs = Date.now()
  return (deal, usual) =>
    Object.fromEntries(
      names.map((name) => [name, derivations[name](deal, stageOf(deal.stage), { nowMs, zone, usual })]),
    )
}

/**
 * Returns the usual step durations of each deal's partner if payments are requested. Staff and partners thus
 * see the same expected payment.
 */
async function readUsuals(
  db: Database,
  { tenant, zone }: ZonedTenant,
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

interface Viewer extends ZonedTenant {
  user: { id: number } | null
}

async function readLookedUp(
  db: Database,
  { tenant, user }: Viewer,
  ids: readonly bigint[],
  requested: readonly RowField[],
): Promise<LookedUp> {
  const [partner, assignee, isUnseen] = await Promise.all([
    requested.includes('partner') ? readDealPartners(db, tenant, ids) : null,
    requested.includes('assignee') ? readAssigneeNames(db, tenant, ids) : null,
    requested.includes('isUnseen') && user !== null ? readUnseen(db, tenant, user.id, ids) : null,
  ])
  return {
    ...(partner !== null && { partner: new Map(partner.entries().map(([id, { name }]) => [id, name])) }),
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
  viewer: Viewer,
  derived: readonly RowField[],
  readUsual: ReadUsual,
): Promise<(stored: readonly { json: string; given: number | null }[]) => Promise<ExportedDeal[]>> {
  const derive = await readDerive(db, viewer, derived)
  return async (stored) => {
    const deals = stored.map(({ json, given }) => parseKnown(json, given))
    const { lookedUp, usualOf, observe } = await readBeside(db, viewer, deals, derived, readUsual)
    return deals.map((deal) => ({
      ...deal,
      ...derive(observe(deal), usualOf(deal.id)),
      partner: (lookedUp.partner?.get(deal.id) as string) ?? null,
      assignee: (lookedUp.assignee?.get(deal.id) as string) ?? null,
    }))
  }
}

/** Columns whose values may have a time at which the portal first saw them. */
const observedFields: ReadonlySet<RowField> = new Set(['timeInCurrentStage', 'lastModified', 'payment'])

/** Reads what the requested columns need besides the stored deals. */
async function readBeside(
  db: Database,
  viewer: Viewer,
  deals: readonly { id: bigint }[],
  requested: readonly RowField[],
  readUsual: ReadUsual,
) {
  const ids = deals.map(({ id }) => id)
  const isTimed = requested.some((field) => observedFields.has(field))
  const [lookedUp, usualOf, observed] = await Promise.all([
    readLookedUp(db, viewer, ids, requested),
    readUsuals(db, viewer, ids, requested, readUsual),
    isTimed ? readObserved(db, viewer.tenant, ids) : new Map<bigint, Observed>(),
  ])
  const observe = (deal: KnownDeal) =>
    withObserved({ ...deal, observed: observed.get(deal.id) ?? notObserved })
  return { lookedUp, usualOf, observe }
}

/** Returns the rows of the viewer's deals as comma-separated JSON. */
export async function renderRows(
  db: Database,
  viewer: Viewer,
  reading: Promise<readonly { id: bigint; json: string; given: number | null }[]>,
  requested: readonly RowField[],
  readUsual: ReadUsual,
): Promise<string> {
  const [found, derive] = await Promise.all([reading, readDerive(db, viewer, requested)])
  const { lookedUp, usualOf, observe } = await readBeside(db, viewer, found, requested, readUsual)
  const fields = ownFields(requested)
  const rows: string[] = []
  for await (const portion of portionsOf(found))
    rows.push(
      ...portion.map(({ id, json, given }) => {
        const deal = observe(parseKnown(json, given))
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

/** Returns the partners of these deals, with their names and time zones, of the tenant, by deal id. */
export async function readDealPartners(
  { $client: sql }: Pick<Database, '$client'>,
  tenant: TenantScope,
  ids: readonly bigint[],
): Promise<Map<bigint, ZonedTenant & { tenant: PartnerId; name: string }>> {
  const rows = await sql<
    ({ id: string; tenant: PartnerId; name: string } & Pick<Partner, 'timeZone' | 'usualZone'>)[]
  >`
    select deals.id::text as id, partners.id as tenant, partners.name, time_zone as "timeZone", usual_zone as "usualZone"
      from deals join partners on partners.id = deals.partner_id
      where deals.id = any(${ids.map(String)}::bigint[])
        and ${isWithin(sql, tenant, sql`deals.partner_id`)}`
  return new Map(
    rows.map(({ id, tenant: owner, name, ...zones }) => [
      BigInt(id),
      { tenant: owner, name, zone: zoneOfPartner(zones) },
    ]),
  )
}

/** A column of a row: a field of the deal or a derived column. */
export type RowField = DealField | DerivedColumn

const isDerived = (field: RowField): field is DerivedColumn =>
  (derivedColumns as readonly string[]).includes(field)

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
  seenAt: string | null,
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

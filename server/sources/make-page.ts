import type { DealWrite } from '../deals/change.ts'
import type { DealRecord } from '../deals/deal.ts'
import type { Fault } from '../records/record-source.ts'
import { readRecord } from '../records/record.ts'
import type { StageMatcher } from '../stages/spelling.ts'
import { parseInt64 } from '../values/int64.ts'
import { storable } from '../values/short-text.ts'
import type { CrmRecord } from './crm-source.ts'
import type { SourceSettings } from './mapping.ts'
import type { KnownDeal, PageRecord, Reject } from './page-store.ts'
import type { RecordReader } from './read-record.ts'

export interface PageDeps {
  sourceId: number
  settings: Pick<SourceSettings, 'mapping' | 'partnerProperty'>
  reader: RecordReader
  partners: ReadonlyMap<string, number>
  stages: StageMatcher
  nowMs: number
  /** Set while a mapping is applied without sending webhooks. */
  quiet?: Quiet
}

/** Page state while a mapping is applied without sending webhooks. */
interface Quiet {
  isComparing: boolean
  readUpToMs: number
}

/** The deals of a page, and the data to record about the page. */
export interface MadePage extends Pick<PageRecord, 'deals' | 'ids' | 'rejects'> {
  writes: DealWrite[]
}

const repeatedId: Fault = { field: 'id', reason: 'is in several rows; the newest is used' }
const nameMax = 200
const reasonMax = 1000

/** Returns the ids of the records that are valid deal ids. */
export const dealIdsOf = (records: readonly CrmRecord[]) => records.flatMap(({ id }) => parseInt64(id) ?? [])

/**
 * Builds the deals of a page. Skips records older than the stored deals, because a lagging index may return
 * old records.
 */
export function makePage(
  deps: PageDeps,
  records: readonly CrmRecord[],
  known: ReadonlyMap<bigint, KnownDeal>,
): MadePage {
  const byId = new Map<string, CrmRecord>()
  const repeated = new Set<string>()
  for (const record of records) {
    const other = byId.get(record.id)
    if (other !== undefined) repeated.add(record.id)
    if (other === undefined || other.modifiedMs <= record.modifiedMs) byId.set(record.id, record)
  }
  const page: MadePage = { deals: [], ids: [...byId.keys()], rejects: [], writes: [] }
  for (const record of byId.values()) {
    const id = parseInt64(record.id)
    const stored = id === null ? undefined : known.get(id)
    const isOurs = stored?.sourceId === deps.sourceId
    const isOlder = isOurs && stored.isStored && record.modifiedMs < stored.modifiedMs
    const isSkipped = isOlder || (deps.quiet !== undefined && isLeft(record, stored, deps.quiet))
    const made = isSkipped ? null : makeWrite(deps, record, stored)
    if (made === null || 'faults' in made) {
      if (made !== null) page.rejects.push(rejectOf(record, made.faults, deps))
      // The deal still exists in the source.
      if (id !== null && isOurs)
        page.deals.push({ id, modifiedMs: stored.modifiedMs, partnerValue: stored.partnerValue })
      continue
    }
    page.writes.push(made.write)
    const faults = repeated.has(record.id) ? [repeatedId, ...made.unreadable] : made.unreadable
    if (faults.length > 0) page.rejects.push(rejectOf(record, faults, deps, true))
    page.deals.push({
      id: made.write.record.id,
      // With a time in the future, later versions of the record would count as older once the time is
      // corrected.
      modifiedMs: Math.min(record.modifiedMs, deps.nowMs),
      partnerValue: partnerValueOf(deps, record) ?? stored?.partnerValue ?? '',
    })
  }
  return page
}

/**
 * Returns true if a page skips a record. While a mapping is applied without webhooks, changes in the CRM are
 * written with events and changes due to the mapping are written by the comparison without events.
 */
function isLeft({ modifiedMs }: CrmRecord, stored: KnownDeal | undefined, quiet: Quiet): boolean {
  const isStored = stored?.isStored === true && modifiedMs <= stored.modifiedMs
  const isRead = isStored || modifiedMs <= quiet.readUpToMs
  return quiet.isComparing ? !isRead : isRead
}

function makeWrite(
  deps: PageDeps,
  record: CrmRecord,
  stored: KnownDeal | undefined,
): { write: DealWrite; unreadable: Fault[] } | { faults: Fault[] } {
  const { sourceId, settings, partners, stages } = deps
  if (stored !== undefined && stored.sourceId !== null && stored.sourceId !== sourceId)
    return { faults: [{ field: 'id', reason: 'belongs to a deal of another source' }] }
  const read = readDeal(deps.reader, record)
  if ('faults' in read) return read
  const { deal, unreadable } = read
  if (deal.stage != null) deal.stage = stages.match(deal.stage).name
  // `undefined` leaves the partner of a stored deal unchanged: no partner property is configured, or the record
  // does not have it.
  const value = partnerValueOf(deps, record)
  const isUnknown = value === null || settings.partnerProperty === null
  const fallback = isUnknown && stored?.isStored === true ? undefined : null
  const partnerId = value === null ? fallback : (partners.get(value) ?? fallback)
  return { write: { record: deal, partnerId }, unreadable }
}

/** Fields that a record needs in order to be written. */
const needed = new Set<string>(['id', 'lastModified', 'stage', 'stageId'])

/**
 * Converts a record to a deal, without values that cannot be read. If the record cannot be written, returns
 * the reason.
 */
export function readDeal(
  reader: RecordReader,
  record: CrmRecord,
): { deal: DealRecord; unreadable: Fault[] } | { faults: Fault[] } {
  const { deal: values, faults } = reader.read(record)
  const found = readRecord(values)
  const all = [...faults, ...('faults' in found ? found.faults : found.unreadable)]
  if ('faults' in found || all.some(({ field }) => field === null || needed.has(field)))
    return { faults: all }
  return { deal: found.record, unreadable: all }
}

/**
 * Returns the value that identifies a record's partner: the label, unless the value itself is assigned to a
 * partner.
 */
export function partnerValueOf(
  { reader, partners }: Pick<PageDeps, 'reader' | 'partners'>,
  record: CrmRecord,
): string | null {
  const found = reader.partnerOf(record)
  return found && (partners.has(found.value) ? found.value : found.label)
}

/** Returns a rejected record with the reasons, for the operator. */
export function rejectOf(
  record: CrmRecord,
  faults: readonly Fault[],
  { settings }: Pick<PageDeps, 'settings'>,
  isWritten = false,
): Reject {
  const names = new Map(Object.entries(settings.mapping))
  const reason = faults
    .map(({ field, reason: why }) => {
      const property = field === null ? undefined : names.get(field.split('.')[0]!)
      return `${field ?? 'the record'}${property === undefined ? '' : ` (${property})`} ${why}`
    })
    .join('; ')
  return {
    id: storable(record.id, nameMax),
    name: storable(record.values['dealname'] ?? '', nameMax),
    reason: storable(reason, reasonMax),
    modifiedMs: Number.isFinite(record.modifiedMs) ? record.modifiedMs : 0,
    isWritten,
  }
}

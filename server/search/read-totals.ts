import type { ISql } from 'postgres'
import { type Database, type ReadDatabase, type Reads, withReadOnly } from '#db/client.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { listIdOf } from '../deals/list-store.ts'
import type { JobData } from '../jobs/kinds.ts'
import { sendJobs } from '../jobs/send-store.ts'
import { dayOf } from '../values/zone.ts'
import {
  type DealSnapshot,
  type Reader,
  type TotalsKey,
  type ZonedTenant,
  beginCount,
  listMissingTotals,
  listOutdatedTotals,
  readTotalsState,
  recordTotalsRead,
  removeUnreadTotals,
  restTotals,
  saveTotals,
  withListSnapshot,
  countedAtOnceMax,
  isCurrent,
  restMs,
  staleMs,
} from './totals-store.ts'

/** Totals that can be stored, with `T` as JSON. */
export interface TotalsKind<T> {
  /** Ends with a number that increases whenever `T` changes: `overview-1`. */
  name: string
  isByZone: boolean
  /**
   * Maximum number of deals that are counted on each request. Set only if counting costs more than
   * `countedAtOnceMax` assumes.
   */
  atOnceMax?: number
  compute(snapshot: DealSnapshot): Promise<T>
  /** Returns the time when the totals change even if the list does not, or null if never. */
  validUntil?(snapshot: DealSnapshot): Promise<Date | null>
}

export interface Totals<T> {
  totals: T
  /** Time of the totals (ISO 8601) if outdated, or null if current. */
  asOf: string | null
}

export interface TotalsDeps {
  db: Database
  replica?: Reads | null
}

/** Returns the database to use for counting the tenant's deals. */
export const countingDb = ({ db, replica }: TotalsDeps, tenant: TenantScope): ReadDatabase =>
  replica?.readsOf(listIdOf(tenant)) ?? db

/**
 * Returns the stored totals of the tenant's deals, or null for a short list, which is counted directly.
 * Slightly outdated totals are returned and recomputed by a job. Missing totals, and totals that have been
 * outdated for over a minute, are computed first.
 */
export async function readTotals<T>(
  deps: TotalsDeps,
  kind: TotalsKind<T>,
  { tenant, zone }: ZonedTenant,
  now = new Date(),
): Promise<Totals<T> | null> {
  const { db } = deps
  const key = keyOf(kind, { tenant, zone })
  const { dealCount, revision, stored, isDue, isUnread } = await readTotalsState(db, key)
  if (dealCount <= atOnceMaxOf(kind)) return null
  const countFirst = async () => ({
    totals: await countShared(deps, kind, { tenant, zone }, now),
    asOf: null,
  })
  if (stored === null) return countFirst()
  if (isUnread) await recordTotalsRead(db, key)
  if (isCurrent(stored, revision, now)) return { totals: JSON.parse(stored.json) as T, asOf: null }
  const isStale = now.getTime() - stored.computedAt.getTime() > staleMs
  if (isStale && (isDue || countsOf(db).has(nameOf(key)))) return countFirst()
  if (isDue)
    await sendCounts(db, [{ kind: key.kind, zone: key.zone, listId: listIdOf(tenant), isFor: 'reader' }])
  return { totals: JSON.parse(stored.json) as T, asOf: stored.computedAt.toISOString() }
}

/** Returns the totals of the tenant's deals: stored totals for a long list, or else a fresh count. */
export async function readOrCountTotals<T>(
  deps: TotalsDeps,
  kind: TotalsKind<T>,
  viewer: ZonedTenant,
  now = new Date(),
): Promise<Totals<T>> {
  const stored = await readTotals(deps, kind, viewer, now)
  if (stored !== null) return stored
  const totals = await withReadOnly(countingDb(deps, viewer.tenant), (sql) =>
    kind.compute(snapshotOf(sql, viewer, now)),
  )
  return { totals, asOf: null }
}

const snapshotOf = (sql: ISql, { tenant, zone }: ZonedTenant, now: Date): DealSnapshot => ({
  sql,
  tenant,
  zone,
  now,
  today: dayOf(now, zone),
})

const atOnceMaxOf = ({ atOnceMax = countedAtOnceMax }: Pick<TotalsKind<unknown>, 'atOnceMax'>) => atOnceMax

const keyOf = (
  { name, isByZone }: Pick<TotalsKind<unknown>, 'name' | 'isByZone'>,
  { tenant, zone }: ZonedTenant,
): TotalsKey => ({
  tenant,
  kind: name,
  zone: isByZone ? zone : null,
})

const underway = new WeakMap<Database, Map<string, Promise<unknown>>>()

/** Returns the counts in progress, by name, that readers of this process can share. */
function countsOf(db: Database): Map<string, Promise<unknown>> {
  const counts = underway.get(db) ?? new Map<string, Promise<unknown>>()
  underway.set(db, counts)
  return counts
}

const nameOf = ({ tenant, kind, zone }: TotalsKey) => `${listIdOf(tenant)} ${kind} ${zone}`

/** Counts the totals once for all readers of this process that wait for the count. */
async function countShared<T>(
  deps: TotalsDeps,
  kind: TotalsKind<T>,
  viewer: ZonedTenant,
  now: Date,
): Promise<T> {
  const counts = countsOf(deps.db)
  const name = nameOf(keyOf(kind, viewer))
  for (;;) {
    const running = counts.get(name) as Promise<T> | undefined
    if (running === undefined) break
    try {
      return await running
    } catch {
      // The shared count may have been canceled together with the other reader's request.
    }
  }
  const counting = count(deps, kind, viewer, now).finally(() => counts.delete(name))
  counts.set(name, counting)
  return counting
}

async function count<T>(
  deps: TotalsDeps,
  kind: TotalsKind<T>,
  viewer: ZonedTenant,
  now: Date,
  isAhead = false,
): Promise<T> {
  const { db } = deps
  const { tenant } = viewer
  const key = keyOf(kind, viewer)
  const from = await beginCount(db, key, isAhead)
  const start = performance.now()
  try {
    const counted = await withListSnapshot(countingDb(deps, tenant), tenant, async (sql) => {
      const snapshot = snapshotOf(sql, viewer, now)
      return {
        totals: await kind.compute(snapshot),
        validUntil: (await kind.validUntil?.(snapshot)) ?? null,
      }
    })
    const json = JSON.stringify(counted.totals)
    await saveTotals(db, key, from, { ...counted, json }, restMs(performance.now() - start))
    return counted.totals
  } catch (error) {
    await restTotals(db, key, from, restMs(performance.now() - start))
    throw error
  }
}

/** Counts the totals of a job, unless they have been counted since the job was sent. */
export async function countOutdated(
  deps: TotalsDeps,
  kind: TotalsKind<unknown>,
  viewer: ZonedTenant,
  isFor: JobData['count-totals']['isFor'],
): Promise<void> {
  const now = new Date()
  const { dealCount, revision, stored, isDue } = await readTotalsState(deps.db, keyOf(kind, viewer))
  if (!isDue || dealCount <= atOnceMaxOf(kind) || (stored !== null && isCurrent(stored, revision, now)))
    return
  await count(deps, kind, viewer, now, isFor === 'later')
}

/** Maximum number of totals recomputed per minute. The rest follow in the next minute. */
const renewedAtOnce = 100

const namesOf = (kinds: readonly TotalsKind<unknown>[]) =>
  kinds.map((kind) => ({ name: kind.name, isByZone: kind.isByZone, longerThan: atOnceMaxOf(kind) }))

/**
 * Sends the jobs that recompute outdated totals, recently read totals first. Removes totals that nobody
 * reads.
 * @system the worker
 */
export async function renewTotals(db: Database, kinds: readonly TotalsKind<unknown>[]): Promise<void> {
  await removeUnreadTotals(db)
  const outdated = await listOutdatedTotals(db, namesOf(kinds), renewedAtOnce)
  await sendCounts(
    db,
    outdated.map((totals) => ({ ...totals, isFor: 'renewal' })),
  )
}

/**
 * Sends the jobs that compute missing totals of long lists, so no page has to wait for a count.
 * @system the worker
 */
export async function warmTotals(
  db: Database,
  kinds: readonly TotalsKind<unknown>[],
  readers: readonly Reader[],
): Promise<void> {
  const missing = await listMissingTotals(db, namesOf(kinds), readers)
  await sendCounts(
    db,
    missing.map((totals) => ({ ...totals, isFor: 'later' })),
  )
}

/** Sends the jobs that count totals. Readers and the worker each run one job at a time. */
const sendCounts = ({ $client: sql }: Database, counts: JobData['count-totals'][]): Promise<void> =>
  sendJobs(
    sql,
    'count-totals',
    counts.map((data) => {
      const group = data.isFor === 'reader' ? 'readers' : 'worker'
      return { data, key: `${group} ${data.listId} ${data.kind} ${data.zone}`, group }
    }),
  )

import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, type ReadDatabase, type Reads, withReadOnly } from '#db/client.ts'
import type { TenantScope, Owner, Everyone } from '../../accounts/partner.ts'
import type { Background } from '../../admission/background.ts'
import { startRenewing } from '../../admission/renewed-lease.ts'
import { listIdOf } from '../../deals/list-store.ts'
import { type Zone, utc } from '../../values/zone.ts'
import {
  type DealSnapshot,
  type LeaseReason,
  type TotalsKey,
  saveTotals,
  leaseTotals,
  listOutdatedTotals,
  recordTotalsRead,
  readTotalsState,
  releaseTotals,
  renewLease,
  removeUnreadTotals,
  withListSnapshot,
} from './store.ts'
import { countedAtOnceMax, isCurrent, leaseMs, renewalMs, restMs, staleMs, workerRestMs } from './totals.ts'

/** Totals that can be stored: `T` as JSON. */
export interface TotalsKind<T> {
  /** Ends with a number that increases when `T` changes: `overview-1`. */
  name: string
  /** Whether they depend on the reader's zone. */
  isByZone: boolean
  /**
   * The maximum number of deals that are counted on each request; `countedAtOnceMax` unless counting costs
   * more.
   */
  atOnceMax?: number
  /** Counts the tenant's deals. */
  compute(sql: DealSnapshot, tenant: TenantScope, zone: Zone, now: Date): Promise<T>
  /** Returns when they change although the list does not; null: never. */
  validUntil?(sql: DealSnapshot, tenant: TenantScope, zone: Zone, now: Date): Promise<Date | null>
}

/** Totals of a list. */
export interface Totals<T> {
  totals: T
  /** The time of the totals if outdated (ISO 8601); null if current. */
  asOf: string | null
}

/** The process's resources for counting. */
interface CountingDeps {
  db: Database
  /** Moves counting to a replica, if there is one. */
  replica?: Reads | null
}

/** Chooses the database for counting the tenant's deals. */
export const countingDb = ({ db, replica }: CountingDeps, tenant: TenantScope): ReadDatabase =>
  replica?.readsOf(listIdOf(tenant)) ?? db

/** The process's resources for reading. */
export interface TotalsDeps extends CountingDeps {
  /** Continues work after the response. */
  background: Background
}

// A reader waits for the first computation while its lease is renewed.
const renewMs = 1000
const patienceMs = 5000
const pollMs = 100

/**
 * Returns the stored totals of the tenant's deals, recomputed in the background when outdated, and first when
 * also older than a minute; null for a short list, which is counted directly.
 */
export async function readTotals<T>(
  deps: TotalsDeps,
  tenant: TenantScope,
  kind: TotalsKind<T>,
  zone: Zone,
  now: Date,
): Promise<Totals<T> | null> {
  const { db, background } = deps
  const key = keyOf(kind, zone)
  const { dealCount, revision, kept, isDue, isUnderway, isUnread } = await readTotalsState(db, tenant, key)
  if (dealCount <= atOnceMaxOf(kind)) return null
  if (kept === null) return computeFirst(deps, tenant, kind, zone, now)
  const work = `${listIdOf(tenant)} ${key.kind} ${key.zone}`
  if (isUnread) background('totals read', work, () => recordTotalsRead(db, tenant, key))
  const isNow = isCurrent(kept, revision, now)
  const isStale = !isNow && now.getTime() - kept.computedAt.getTime() > staleMs
  if (isStale && (isDue || isUnderway)) return computeFirst(deps, tenant, kind, zone, now, kept.computedAt)
  if (!isNow && isDue) background('totals', work, () => computeAlone(deps, tenant, kind, zone))
  return { totals: JSON.parse(kept.json) as T, asOf: isNow ? null : kept.computedAt.toISOString() }
}

/** Returns the totals of the tenant's deals: stored ones for a long list, otherwise counted. */
export async function readOrCountTotals<T>(
  deps: TotalsDeps,
  tenant: TenantScope,
  kind: TotalsKind<T>,
  zone: Zone,
  now: Date,
): Promise<Totals<T>> {
  const kept = await readTotals(deps, tenant, kind, zone, now)
  if (kept !== null) return kept
  const totals = await withReadOnly(countingDb(deps, tenant), (sql) => kind.compute(sql, tenant, zone, now))
  return { totals, asOf: null }
}

const atOnceMaxOf = ({ atOnceMax = countedAtOnceMax }: Pick<TotalsKind<unknown>, 'atOnceMax'>) => atOnceMax

const keyOf = <T>({ name, isByZone }: TotalsKind<T>, zone: Zone): TotalsKey => ({
  kind: name,
  zone: isByZone ? zone : null,
})

/**
 * Computes missing totals, or waits for the process that does, taking over after a crash. Totals from
 * `notFrom` or earlier count as missing.
 */
async function computeFirst<T>(
  deps: CountingDeps,
  tenant: TenantScope,
  kind: TotalsKind<T>,
  zone: Zone,
  now: Date,
  notFrom: Date | null = null,
): Promise<Totals<T>> {
  let seen: string | null = null
  let seenAt = performance.now()
  for (const until = performance.now() + leaseMs; performance.now() < until; await sleep(pollMs)) {
    const { revision, kept, isDue, lease } = await readTotalsState(deps.db, tenant, keyOf(kind, zone))
    if (kept !== null && (notFrom === null || kept.computedAt > notFrom)) {
      const isNow = isCurrent(kept, revision, now)
      return { totals: JSON.parse(kept.json) as T, asOf: isNow ? null : kept.computedAt.toISOString() }
    }
    if (lease !== seen) [seen, seenAt] = [lease, performance.now()]
    const isStuck = performance.now() - seenAt > patienceMs
    const totals = isDue || isStuck ? await compute(deps, tenant, kind, zone, now, { from: lease }) : null
    if (totals !== null) return { totals, asOf: null }
  }
  throw new Error(`totals were not counted: ${kind.name}`)
}

/** Computes and stores the totals. Returns null if another process does, or just did. */
async function compute<T>(
  deps: CountingDeps,
  tenant: TenantScope,
  kind: TotalsKind<T>,
  zone: Zone,
  now: Date,
  reason: LeaseReason = {},
): Promise<T | null> {
  const { db } = deps
  const key = keyOf(kind, zone)
  const first = await leaseTotals(db, tenant, key, reason)
  if (first === null) return null
  const start = performance.now()
  const rest = () => restMs(performance.now() - start)
  let lease = first
  const held = startRenewing(renewMs, async () => {
    const renewed = await renewLease(db, tenant, key, lease)
    lease = renewed ?? lease
    return renewed !== null
  })
  try {
    const counted = await snapshotOf(countingDb(deps, tenant), tenant, kind, zone, now)
    const json = JSON.stringify(counted.totals)
    await held.end()
    await saveTotals(db, tenant, key, lease, { ...counted, json }, rest())
    return counted.totals
  } catch (error) {
    await held.end()
    await releaseTotals(db, tenant, key, lease, rest())
    throw error
  }
}

const snapshotOf = <T>(db: ReadDatabase, tenant: TenantScope, kind: TotalsKind<T>, zone: Zone, now: Date) =>
  withListSnapshot(db, tenant, async (sql) => ({
    totals: await kind.compute(sql, tenant, zone, now),
    validUntil: (await kind.validUntil?.(sql, tenant, zone, now)) ?? null,
  }))

const computing = new WeakSet<Database>()

/** Recomputes old totals one at a time per process, because requests need its connections. */
async function computeAlone<T>(
  deps: CountingDeps,
  tenant: TenantScope,
  kind: TotalsKind<T>,
  zone: Zone,
): Promise<void> {
  const { db } = deps
  if (computing.has(db)) return
  computing.add(db)
  try {
    await compute(deps, tenant, kind, zone, new Date())
  } finally {
    computing.delete(db)
  }
}

/** The dependencies of the worker, which counts for each tenant. */
interface SystemDeps extends CountingDeps {
  everyone: Everyone
  /** Called when the totals of a list cannot be counted; those of others still are. */
  failed: (error: unknown) => void
}

/** Makes the worker rest after totals that took `tookMs`. Returns false when it should stop. */
type Rest = (tookMs: number) => Promise<boolean>

const renewedAtOnce = 20

/**
 * Recomputes outdated totals for at most `forMs`, recently read ones first, and removes unread ones.
 * @system the worker
 */
export async function renewTotals(
  deps: SystemDeps,
  kinds: readonly TotalsKind<unknown>[],
  rest: Rest,
  forMs: number = renewalMs,
): Promise<void> {
  const { db } = deps
  await removeUnreadTotals(db)
  const known = kinds.map((kind) => ({ name: kind.name, longerThan: atOnceMaxOf(kind) }))
  for (const until = performance.now() + forMs; performance.now() < until;) {
    // Few at a time, because others may be read in the meantime.
    const outdated = await listOutdatedTotals(db, known, renewedAtOnce)
    for (const { partnerId, kind: name, zone } of outdated) {
      const kind = kinds.find((each) => each.name === name)!
      const renewed = () => compute(deps, partnerId ?? deps.everyone, kind, zone ?? utc, new Date())
      if (!(await workedOn(renewed, rest, deps.failed))) return
    }
    if (outdated.length < renewedAtOnce) return
  }
}

/** Does the work of one list and rests. Returns false when the worker should stop. */
async function workedOn(
  work: () => Promise<unknown>,
  rest: Rest,
  failed: SystemDeps['failed'],
): Promise<boolean> {
  if (!(await rest(0))) return false
  const start = performance.now()
  await work().catch(failed)
  return rest(workerRestMs(performance.now() - start))
}

/** A reader of a list, with their time zone. */
export interface Reader {
  /** Their partner; null for operators, who see all. */
  owner: Owner
  zone: Zone
}

/** Precomputes missing totals of long lists, so no page waits for them. @system the worker */
export async function warmTotals(
  deps: SystemDeps,
  kinds: readonly TotalsKind<unknown>[],
  readers: readonly Reader[],
  rest: Rest,
): Promise<void> {
  for (const kind of kinds)
    for (const { owner, zone } of readers) {
      const tenant = owner ?? deps.everyone
      if (!(await rest(0))) return
      const { dealCount, kept, isDue } = await readTotalsState(deps.db, tenant, keyOf(kind, zone))
      if (kept !== null || !isDue || dealCount <= atOnceMaxOf(kind)) continue
      const ahead = () => compute(deps, tenant, kind, zone, new Date(), { isAhead: true })
      if (!(await workedOn(ahead, rest, deps.failed))) return
    }
}

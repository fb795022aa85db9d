import postgres from 'postgres'
import { withTimeout } from '#server/admission/scheduling.ts'
import type { Gate } from './admitted.ts'
import { type Database, type ReadDatabase, type Reads, openDatabase } from './client.ts'

/** The state of the replica as seen by this process. */
export interface ReplicaState {
  /** Reason why the replica is not used, or null. */
  problem: 'away' | 'behind' | 'no standby' | null
  /** Maximum replication lag in milliseconds, or null if unknown. */
  lagMs: number | null
  /** Number of reads from the replica, and from the primary instead of the replica. */
  answered: { replica: number; primary: number }
}

/** A replica of the database for reads. */
export interface Replica extends Reads {
  state(): ReplicaState
  /** Reports that rows of these partners changed. 0 stands for rows without a partner. */
  changed(partnerIds: Iterable<number>): void
  /** Sets whether all changes are reported to `changed` from now on. */
  hearing(isHearing: boolean): void
  close(): Promise<void>
}

/** Maximum lag at which the replica is used. */
const lagMaxMs = 5000
/** Interval at which the lag is measured. The second interval applies while readers wait for a change. */
const everyMs = 1000
const soonMs = 200
/** Maximum duration of a measurement, after which the replica counts as down. */
const measureMaxMs = 2000
/** How long positions of the primary are kept. */
const rememberedMs = 2 * lagMaxMs

/** Connections to the replica, all of which are closed when it is down. */
interface Link {
  pool: Database
  monitor: Database
}

/** A position in the primary's log that includes everything committed before a certain time. */
interface Position {
  at: number
  lsn: number
}

interface ReplicaPool {
  url: string
  connections: number
  gate?: Gate
}

/**
 * Opens the replica. Reads go to the primary unless the replica is at most 5 seconds behind and has all
 * reported changes. Calls `onChange` when the replica becomes usable or unusable.
 */
export const openReplica = (
  primary: Database,
  pool: ReplicaPool,
  onChange: (state: ReplicaState) => void = () => {},
): Replica => new Standby(primary, () => openLink(pool), onChange)

class Standby implements Replica {
  readonly #primary: Database
  readonly #open: () => Link
  readonly #onChange: (state: ReplicaState) => void
  readonly #answered = { replica: 0, primary: 0 }
  #link: Link | null = null
  #isStandby = true
  #positions: Position[] = []
  /** Everything committed before this time is in the replica. */
  #arrivedAt = -Infinity
  /** Times of reported changes that may not be in the replica yet, by partner. */
  readonly #changedAt = new Map<number, number>()
  #lastChangedAt = -Infinity
  #missesChanges = false
  /** Changes before this time may not have been reported. */
  #missedUntil = -Infinity
  #reported: ReplicaState['problem'] | undefined
  #timer: NodeJS.Timeout | undefined
  #measuring = Promise.resolve()
  #isClosed = false

  constructor(primary: Database, open: () => Link, onChange: (state: ReplicaState) => void) {
    this.#primary = primary
    this.#open = open
    this.#onChange = onChange
    this.#schedule(0)
  }

  state(): ReplicaState {
    const lagMs = performance.now() - this.#arrivedAt
    const isKnown = Number.isFinite(lagMs)
    let problem: ReplicaState['problem'] = lagMs > lagMaxMs ? 'behind' : null
    if (this.#link === null || !isKnown) problem = 'away'
    if (!this.#isStandby) problem = 'no standby'
    return { problem, lagMs: isKnown ? lagMs : null, answered: { ...this.#answered } }
  }

  readsOf(partnerId: number): ReadDatabase {
    return readsThrough(this.#primary, () => this.#poolFor(partnerId), this.#answered)
  }

  changed(partnerIds: Iterable<number>): void {
    this.#lastChangedAt = performance.now()
    for (const partnerId of partnerIds) this.#changedAt.set(partnerId, this.#lastChangedAt)
    if (this.#timer !== undefined) this.#schedule(soonMs)
  }

  hearing(isHearing: boolean): void {
    this.#missesChanges = !isHearing
    this.#missedUntil = performance.now()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#measuring
    if (this.#link !== null) await close(this.#link)
  }

  /** Returns the connections for reads from the replica, or null to use the primary. */
  #poolFor(partnerId: number): Database | null {
    const changedAt = partnerId === 0 ? this.#lastChangedAt : (this.#changedAt.get(partnerId) ?? -Infinity)
    const isFresh = performance.now() - this.#arrivedAt <= lagMaxMs
    const hasAll = !this.#missesChanges && Math.max(changedAt, this.#missedUntil) <= this.#arrivedAt
    return isFresh && hasAll && this.#link !== null ? this.#link.pool : null
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#measuring = this.#measure().finally(() => {
        const isAwaited = Math.max(this.#lastChangedAt, this.#missedUntil) > this.#arrivedAt
        this.#schedule(isAwaited && this.#link !== null ? soonMs : everyMs)
      })
    }, delayMs).unref()
  }

  async #measure(): Promise<void> {
    const link = (this.#link ??= this.#open())
    try {
      const { position, standby } = await withTimeout(
        measureOnce(this.#primary, link.monitor),
        measureMaxMs,
        () => {
          throw new Error('the replica does not respond in time')
        },
      )
      this.#record(position, standby)
    } catch {
      this.#link = null
      void close(link)
    }
    const state = this.state()
    if (state.problem === this.#reported || this.#isClosed) return
    this.#reported = state.problem
    this.#onChange(state)
  }

  #record(position: Position, { isStandby, lsn }: { isStandby: boolean; lsn: number }): void {
    this.#isStandby = isStandby
    const recent = this.#positions.filter(({ at }) => position.at - at < rememberedMs)
    this.#positions = [...recent, position]
    if (isStandby)
      this.#arrivedAt = this.#positions.findLast((known) => known.lsn <= lsn)?.at ?? this.#arrivedAt
    else this.#arrivedAt = -Infinity
    for (const [partnerId, at] of this.#changedAt)
      if (at <= this.#arrivedAt) this.#changedAt.delete(partnerId)
  }
}

function openLink({ url, connections, gate }: ReplicaPool): Link {
  const readOnly = { default_transaction_read_only: 'on' }
  return { pool: openDatabase(url, connections, readOnly, gate), monitor: openDatabase(url, 1, readOnly) }
}

/** Closes the connections. Pending reads run again on the primary. */
const close = ({ pool, monitor }: Link) =>
  Promise.all([pool, monitor].map(({ $client }) => $client.end({ timeout: 0 }).catch(() => {})))

/** Returns the position of the primary, followed by the position of the replica. */
async function measureOnce(primary: Database, monitor: Database) {
  const at = performance.now()
  const [written] = await primary.$client<[{ lsn: number }]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as lsn`
  const [standby] = await monitor.$client<[{ isStandby: boolean; lsn: number }]>`
    select pg_is_in_recovery() as "isStandby",
      coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::float8 as lsn`
  return { position: { at, lsn: written.lsn }, standby }
}

/** Reads from the replica that `choose` returns, or from the primary if there is none. */
const readsThrough = (
  primary: Database,
  choose: () => Database | null,
  answered: ReplicaState['answered'],
): ReadDatabase => ({
  $client: {
    async begin(options, work) {
      const replica = choose()
      if (replica !== null) {
        let working: Promise<unknown> = Promise.resolve()
        try {
          const result = await replica.$client.begin(options, (sql) => (working = work(sql)))
          answered.replica++
          return result
        } catch (error) {
          if (!isOfReplica(error)) throw error
          // If a transaction loses its connection, it rejects before its work has ended.
          await working.catch(() => {})
        }
      }
      answered.primary++
      return primary.$client.begin(options, work)
    },
  },
})

const statementTimeout = '57014'

/**
 * Returns true if the error was caused by the replica and not by the query: the replica is down, cancels
 * conflicting queries, or lacks a migration.
 */
function isOfReplica(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return error.code !== statementTimeout
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(?:CONNECTION_|ECONN|CONNECT_TIMEOUT$|EPIPE$|ENOTFOUND$|EAI_AGAIN$|ETIMEDOUT$|EHOSTUNREACH$)/.test(
    code,
  )
}

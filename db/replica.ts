import postgres from 'postgres'
import { withTimeout } from '#server/admission/with-timeout.ts'
import type { Gate } from './admitted.ts'
import { type Database, type ReadDatabase, type Reads, openDatabase } from './client.ts'

/** The state of a replica, as seen by this process. */
export interface ReplicaState {
  /** Why it is not used; null if it is. */
  problem: 'away' | 'behind' | 'no standby' | null
  /** Maximum replication lag; null when unknown. */
  lagMs: number | null
  /** Reads answered by the replica, and by the primary instead. */
  answered: { replica: number; primary: number }
}

/** A replica of the database, which takes reads off the primary. */
export interface Replica extends Reads {
  state(): ReplicaState
  /** Reports changed rows of these partners; 0 is "no partner". */
  changed(partnerIds: Iterable<number>): void
  /** Sets whether every change is reported to `changed`; earlier changes are unknown. */
  hearing(isHearing: boolean): void
  close(): Promise<void>
}

/** Maximum age of replica reads. */
const lagMaxMs = 5000
/** How often the lag is measured; more often while readers wait for a change. */
const everyMs = 1000
const soonMs = 200
/** Time limit of a measurement; after it the replica counts as down. */
const measureMaxMs = 2000
/** How long positions of the primary are stored. */
const rememberedMs = 2 * lagMaxMs

/** Connections to the replica, dropped together when it is down, so that no query hangs. */
interface Link {
  pool: Database
  monitor: Database
}

/**
 * A position in the primary's log, and a time: everything committed before it is in front of the position.
 */
interface Position {
  at: number
  lsn: number
}

/** The connections to the replica, and the admission of requests' statements there. */
interface ReplicaPool {
  url: string
  connections: number
  gate?: Gate
}

/**
 * Opens the replica. Reads are at most 5 seconds old and include every reported change: until then, and when
 * the replica fails, the primary answers. `onChange` is called when the replica becomes usable or unusable.
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
  /** Everything committed before this time has arrived. */
  #arrivedAt = -Infinity
  /** The times of reported changes that may not have arrived yet: first and last. */
  readonly #changedAt = new Map<number, number>()
  #lastChangedAt = -Infinity
  #isDeaf = false
  /** Changes up to this time may not have been reported. */
  #unheardUntil = -Infinity
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
    this.#isDeaf = !isHearing
    this.#unheardUntil = performance.now()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#measuring
    if (this.#link !== null) await close(this.#link)
  }

  /** Returns the connections for reads, or null to use the primary. */
  #poolFor(partnerId: number): Database | null {
    const changedAt = partnerId === 0 ? this.#lastChangedAt : (this.#changedAt.get(partnerId) ?? -Infinity)
    const isFresh = performance.now() - this.#arrivedAt <= lagMaxMs
    const hasAll = !this.#isDeaf && Math.max(changedAt, this.#unheardUntil) <= this.#arrivedAt
    return isFresh && hasAll && this.#link !== null ? this.#link.pool : null
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#measuring = this.#measure().finally(() => {
        const isAwaited = Math.max(this.#lastChangedAt, this.#unheardUntil) > this.#arrivedAt
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
          throw new Error('the replica does not answer in time')
        },
      )
      this.#note(position, standby)
    } catch {
      this.#link = null
      void close(link)
    }
    const state = this.state()
    if (state.problem === this.#reported || this.#isClosed) return
    this.#reported = state.problem
    this.#onChange(state)
  }

  #note(position: Position, { isStandby, lsn }: { isStandby: boolean; lsn: number }): void {
    this.#isStandby = isStandby
    const kept = this.#positions.filter(({ at }) => position.at - at < rememberedMs)
    this.#positions = [...kept, position]
    if (isStandby)
      this.#arrivedAt = this.#positions.findLast((each) => each.lsn <= lsn)?.at ?? this.#arrivedAt
    else this.#arrivedAt = -Infinity
    for (const [partnerId, at] of this.#changedAt)
      if (at <= this.#arrivedAt) this.#changedAt.delete(partnerId)
  }
}

function openLink({ url, connections, gate }: ReplicaPool): Link {
  const readOnly = { default_transaction_read_only: 'on' }
  return { pool: openDatabase(url, connections, readOnly, gate), monitor: openDatabase(url, 1, readOnly) }
}

/** Closes the connections; pending reads fail over to the primary. */
const close = ({ pool, monitor }: Link) =>
  Promise.all([pool, monitor].map(({ $client }) => $client.end({ timeout: 0 }).catch(() => {})))

/** Returns the primary's position, then the replica's. */
async function measureOnce(primary: Database, monitor: Database) {
  const at = performance.now()
  const [written] = await primary.$client<[{ lsn: number }]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as lsn`
  const [standby] = await monitor.$client<[{ isStandby: boolean; lsn: number }]>`
    select pg_is_in_recovery() as "isStandby",
      coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::float8 as lsn`
  return { position: { at, lsn: written.lsn }, standby }
}

/** Reads through the chosen connections, falling back to the primary. */
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
          // A transaction with a cut connection rejects before its work has ended.
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
 * Returns whether the replica failed, not the query: it is down, cancels conflicting queries, or lacks a
 * migration.
 */
function isOfReplica(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return error.code !== statementTimeout
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(?:CONNECTION_|ECONN|CONNECT_TIMEOUT$|EPIPE$|ENOTFOUND$|EAI_AGAIN$|ETIMEDOUT$|EHOSTUNREACH$)/.test(
    code,
  )
}

import postgres from 'postgres'
import { withTimeout } from '#server/protocol/with-timeout.ts'
import type { Gate } from './admitted.ts'
import { type Database, type ReadDatabase, type Reads, openDatabase } from './client.ts'

/** How a replica does, as this process sees it. */
export interface ReplicaState {
  /** Why it is not read; null when it is. */
  problem: 'away' | 'behind' | 'no standby' | null
  /** By how long it is behind the primary at most; null when that is not known. */
  lagMs: number | null
  /** Reads that it has answered, and those that the primary has answered in its place. */
  answered: { replica: number; primary: number }
}

/** A replica of the database, which takes reads off the primary. */
export interface Replica extends Reads {
  state(): ReplicaState
  /** Says that rows of the tenant of these partners have changed; 0: of none. */
  changed(partnerIds: Iterable<number>): void
  /** Says whether `changed` is told of every change; what came before is not known. */
  hearing(isHearing: boolean): void
  close(): Promise<void>
}

/** How old what is read may be. */
const lagMaxMs = 5000
/** How often the lag is measured; sooner while readers wait for a change to arrive. */
const everyMs = 1000
const soonMs = 200
/** How long a measurement may take; then the replica is away. */
const measureMaxMs = 2000
/** How long positions of the primary are remembered. */
const rememberedMs = 2 * lagMaxMs

/** Connections to the replica, given up as a whole when it is away, so that no query hangs. */
interface Link {
  pool: Database
  monitor: Database
}

/** A position in the primary's log, and the time before which everything committed is in front of it. */
interface Position {
  at: number
  lsn: number
}

/** The connections to the replica, and what admits the statements of requests there. */
interface ReplicaPool {
  url: string
  connections: number
  gate?: Gate
}

/**
 * Opens the replica. What it answers is at most 5 seconds old, and has every change that was told of: until those
 * have arrived, and whenever the replica fails, the primary answers. `tell` hears when it begins or ceases to be read.
 */
export const openReplica = (
  primary: Database,
  pool: ReplicaPool,
  tell: (state: ReplicaState) => void = () => {},
): Replica => new Standby(primary, () => openLink(pool), tell)

class Standby implements Replica {
  readonly #primary: Database
  readonly #open: () => Link
  readonly #tell: (state: ReplicaState) => void
  readonly #answered = { replica: 0, primary: 0 }
  #link: Link | null = null
  #isStandby = true
  #positions: Position[] = []
  /** Everything committed before this time has arrived. */
  #arrivedAt = -Infinity
  /** When changes were heard of that may not have arrived yet, and when the last one was. */
  readonly #changedAt = new Map<number, number>()
  #lastChangedAt = -Infinity
  #isDeaf = false
  /** All changes until then may have gone unheard. */
  #unheardUntil = -Infinity
  #told: ReplicaState['problem'] | undefined
  #timer: NodeJS.Timeout | undefined
  #measuring = Promise.resolve()
  #isClosed = false

  constructor(primary: Database, open: () => Link, tell: (state: ReplicaState) => void) {
    this.#primary = primary
    this.#open = open
    this.#tell = tell
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

  /** Returns the connections to read by, or null when the primary has to be asked. */
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
    if (state.problem === this.#told || this.#isClosed) return
    this.#told = state.problem
    this.#tell(state)
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

/** Closes the connections at once: what is underway fails, and is asked of the primary. */
const close = ({ pool, monitor }: Link) =>
  Promise.all([pool, monitor].map(({ $client }) => $client.end({ timeout: 0 }).catch(() => {})))

/** Returns where the primary was, and then how far the replica has come. */
async function measureOnce(primary: Database, monitor: Database) {
  const at = performance.now()
  const [written] = await primary.$client<[{ lsn: number }]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as lsn`
  const [standby] = await monitor.$client<[{ isStandby: boolean; lsn: number }]>`
    select pg_is_in_recovery() as "isStandby",
      coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::float8 as lsn`
  return { position: { at, lsn: written.lsn }, standby }
}

/** Returns what reads by the connections that `choose` returns, and by the primary without them or when they fail. */
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
          // A transaction whose connection is cut fails before what was done in it has ended.
          await working.catch(() => {})
        }
      }
      answered.primary++
      return primary.$client.begin(options, work)
    },
  },
})

const statementTimeout = '57014'

/** Returns whether the replica failed rather than the work: it is away, cancels what is in its way, or lacks a migration. */
function isOfReplica(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return error.code !== statementTimeout
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(?:CONNECTION_|ECONN|CONNECT_TIMEOUT$|EPIPE$|ENOTFOUND$|EAI_AGAIN$|ETIMEDOUT$|EHOSTUNREACH$)/.test(
    code,
  )
}

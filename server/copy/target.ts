import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { takenBy } from './failures.ts'
import type { CopyState } from './state.ts'
import type { Cell, DealRows } from './tables.ts'

/** The data to write in one transaction. */
export interface Batch {
  state: CopyState
  deals?: DealRows[]
  removed?: bigint[]
  events?: Cell[][]
  /** The step of a load. The last step, `end`, removes all deals that were not loaded. */
  load?: 'begin' | 'page' | 'end'
}

/** The lease of the run that writes to a copy; `name` is empty if no run has the lease. */
export interface RunLease {
  name: string
  /** Seconds since the lease was last renewed. */
  silentS: number
}

/** The stored state of a copy. */
export interface Stored extends RunLease {
  state: CopyState
}

export interface Target {
  /** Returns the stored state, or null if there is no copy. */
  read(): Promise<Stored | null>
  /** Checks that a copy can be created, and removes everything that the check creates. */
  probe(): Promise<void>
  /**
   * Takes the lease, after which earlier runs can no longer write, and creates missing tables. Returns the
   * state.
   * @throws Failure if another run has it
   */
  acquire(initial: CopyState): Promise<CopyState>
  /** Renews the lease. @throws Failure if another run has acquired it */
  renew(): Promise<void>
  release(): Promise<void>
  /** Writes a batch in one transaction. @throws Failure if another run has acquired the lease */
  write(batch: Batch): Promise<void>
  /** Returns the number of deals in the copy. */
  count(): Promise<number>
  /** Returns the number of deals in the copy that the current load did not include. */
  countUnloaded(state: CopyState): Promise<number>
  /** Yields all deals by ascending ID. The persons of a deal are in no particular order. */
  deals(): AsyncIterable<DealRows>
  /** Deletes the copy. */
  drop(): Promise<void>
  close(): Promise<void>
}

/** Number of seconds after which a lease expires if it is not renewed. */
const leaseS = 60
export const renewEveryMs = 15_000

export const runId = `${hostname()}:${process.pid}:${randomBytes(6).toString('hex')}`

/**
 * Checks that no other run has a current lease. Ignores the lease of a process on this machine that has
 * ended.
 * @throws Failure for a current lease, unless its process on this machine has ended
 */
export function requireFree({ name, silentS }: RunLease): void {
  const [, host, pid] = /^(.*):(\d+):\w+$/.exec(name) ?? []
  if (host === undefined || silentS > leaseS) return
  if (host === hostname() && !isOtherProcess(Number(pid))) return
  throw takenBy(`${name}, ${silentS} s ago`)
}

function isOtherProcess(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

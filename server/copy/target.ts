import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { takenBy } from './failures.ts'
import type { CopyState } from './state.ts'
import type { Cell, DealRows } from './tables.ts'

/** The data of one transaction. */
export interface Batch {
  state: CopyState
  deals?: DealRows[]
  removed?: bigint[]
  events?: Cell[][]
  /** The step of a load; its end removes deals that were not loaded. */
  load?: 'begin' | 'page' | 'end'
}

/** The lease of the run that writes a copy; `name` is empty without one. */
export interface RunLease {
  name: string
  /** Seconds since its last heartbeat. */
  silentS: number
}

/** The stored state of a copy. */
export interface Stored extends RunLease {
  state: CopyState
}

/** A database or a folder with a copy. */
export interface Target {
  /** Returns the stored state; null without a copy. */
  read(): Promise<Stored | null>
  /** Checks that a copy can be created, and leaves nothing behind. */
  probe(): Promise<void>
  /**
   * Creates missing tables and acquires the lease, after which earlier runs cannot write.
   * @throws Failure if another run has it
   */
  acquire(initial: CopyState): Promise<CopyState>
  /** Renews the lease. @throws Failure if another run has acquired it */
  renew(): Promise<void>
  /** Releases the lease. */
  release(): Promise<void>
  /** Writes a batch in one transaction. @throws Failure if another run has acquired the lease */
  write(batch: Batch): Promise<void>
  /** Returns the number of deals. */
  count(): Promise<number>
  /** Returns the number of deals that the current load has not loaded. */
  countUnloaded(state: CopyState): Promise<number>
  /** Yields all deals by ascending id, each with its persons in any order. */
  deals(): AsyncIterable<DealRows>
  /** Removes the copy. */
  drop(): Promise<void>
  close(): Promise<void>
}

/** How long a lease lasts without renewal. */
const leaseS = 60
export const renewEveryMs = 15_000

/** Identifies this run. */
export const runId = `${hostname()}:${process.pid}:${randomBytes(6).toString('hex')}`

/** @throws Failure for a current lease, unless its process on this machine has ended */
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

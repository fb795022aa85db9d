import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { anotherRuns } from './failures.ts'
import type { CopyState } from './state.ts'
import type { Cell, DealRows } from './tables.ts'

/** What is written in one transaction. */
export interface Batch {
  state: CopyState
  deals?: DealRows[]
  removed?: bigint[]
  events?: Cell[][]
  /** A step of a load; its end removes what no page had. */
  load?: 'begin' | 'page' | 'end'
}

/** The run that has a copy; an empty name is none. */
export interface Holder {
  name: string
  /** Seconds since its last heartbeat. */
  silentS: number
}

/** What is stored with a copy. */
export interface Stored extends Holder {
  state: CopyState
}

/** A database or a folder with a copy. */
export interface Target {
  /** Returns what is stored; null if there is no copy. */
  read(): Promise<Stored | null>
  /** Fails unless a copy could be made; leaves nothing behind. */
  probe(): Promise<void>
  /**
   * Creates what is missing and takes the copy: from now on, whoever had it before can write nothing.
   * @throws Failure if another run has it
   */
  claim(initial: CopyState): Promise<CopyState>
  /** Tells others that this run is alive. @throws Failure if another run has taken the copy */
  renew(): Promise<void>
  /** Lets the next run begin at once. */
  release(): Promise<void>
  /** Writes a batch in one transaction. @throws Failure if another run has taken the copy */
  write(batch: Batch): Promise<void>
  /** Returns the number of deals. */
  count(): Promise<number>
  /** Returns how many deals the load that is ending did not have. */
  countUnloaded(state: CopyState): Promise<number>
  /** Lists all deals, ascending by id; the persons of each in any order. */
  deals(): AsyncIterable<DealRows>
  /** Removes the copy. */
  drop(): Promise<void>
  close(): Promise<void>
}

/** A run that says nothing for so long is taken for dead. */
const leaseS = 60
export const renewEveryMs = 15_000

/** This run, apart from all others. */
export const thisRun = `${hostname()}:${process.pid}:${randomBytes(6).toString('hex')}`

/**
 * Fails if this run may not take a copy from its holder: one that spoke a moment ago and, if it is on this
 * machine, whose process exists.
 */
export function refuseIfHeld({ name, silentS }: Holder): void {
  const [, host, pid] = /^(.*):(\d+):\w+$/.exec(name) ?? []
  if (host === undefined || silentS > leaseS) return
  if (host === hostname() && !isOtherProcess(Number(pid))) return
  throw anotherRuns(`${name}, ${silentS} s ago`)
}

function isOtherProcess(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

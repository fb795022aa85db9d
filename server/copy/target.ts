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

/** What a target says about the copy in it. */
export interface Stored {
  state: CopyState
  /** Who has it, and for how many seconds it has said nothing; null if nobody has. */
  holder: { name: string; silentS: number } | null
}

/** A database or a folder with a copy. */
export interface Target {
  /** Returns what it is: kind, version, encryption. */
  describe(): Promise<Record<string, string>>
  /** Returns what is stored; null if there is no copy. */
  read(): Promise<Stored | null>
  /** Fails unless a copy could be made; leaves nothing behind. */
  probe(): Promise<void>
  /**
   * Creates what is missing and takes the copy: from now on, whoever had it before can write nothing.
   * @throws Failure if another run has it
   */
  claim(initial: CopyState): Promise<CopyState>
  /** Tells others that this run is alive. */
  renew(): Promise<void>
  /** Lets the next run begin at once. */
  release(): Promise<void>
  /** Writes a batch in one transaction. @throws Failure if another run has taken the copy */
  write(batch: Batch): Promise<void>
  /** Returns the number of deals. */
  count(): Promise<number>
  /** Returns how many deals the load that is ending did not have. */
  countUnloaded(state: CopyState): Promise<number>
  /** Lists the cells of all deals, ascending by id. */
  deals(): AsyncIterable<Cell[]>
  /** Lists the id and `last_modified` of all deals, ascending by id. */
  versions(): AsyncIterable<Cell[]>
  /** Lists the cells of all persons, ascending by deal; those of one deal in any order. */
  persons(): AsyncIterable<Cell[]>
  /** Removes the copy. */
  drop(): Promise<void>
  close(): Promise<void>
}

/** A run that says nothing for so long is taken for dead. */
export const leaseS = 60
export const renewEveryMs = 15_000

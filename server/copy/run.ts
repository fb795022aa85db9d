import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, type Comparison, type EventPage, Refused } from './api.ts'
import { Failure, exitCodes } from './failures.ts'
import { type CopyState, countRemovals, isComparisonDue } from './state.ts'
import {
  type Cell,
  type DealRows,
  type ReceivedEvent,
  columnsVersion,
  dealIdOf,
  eventRow,
  rowsOf,
} from './tables.ts'
import type { Target } from './target.ts'

/** What a run has done. */
export interface Counts {
  loaded: number
  events: number
  written: number
  removed: number
  compared: number
}

interface RunOptions {
  api: Api
  target: Target
  state: CopyState
  allowDeletes: boolean
  /** Ends the run between two transactions. */
  signal: AbortSignal
  log: (line: string) => void
}

const dealsPerWrite = 500
const unwrittenMaxMs = 1000
const heldPerComparison = 1000
/** Beyond so many deals, reading all of them by pages takes fewer requests. */
const readSinglyMax = 1000
const gone = 410
const waitS = 25
const pauseMs = 1000

/** A run that has the copy and brings it up to date. */
export class Run {
  private readonly options: RunOptions
  private state: CopyState
  readonly counts: Counts = { loaded: 0, events: 0, written: 0, removed: 0, compared: 0 }
  /** The portal's newest event. */
  last: number | null = null

  constructor(options: RunOptions) {
    this.options = options
    this.state = options.state
  }

  get after(): number | null {
    return this.state.after
  }

  /** Loads all deals, unless they are loaded, and then follows the events; without end if `isEndless`. */
  async bringUpToDate({ reload, isEndless }: { reload: boolean; isEndless: boolean }): Promise<void> {
    const { api, signal } = this.options
    const hasOtherColumns = this.state.columns !== null && this.state.columns !== columnsVersion
    if (this.state.load === null && this.state.after !== null && !reload) await this.requireSameEvents()
    if (this.state.load !== null || this.state.after === null || reload || hasOtherColumns) await this.load()
    let isCurrent = false
    for (;;) {
      signal.throwIfAborted()
      const began = Date.now()
      const page = await orGone(api.events(this.state.after!, isCurrent && isEndless ? { waitS } : {}))
      if (page === null) {
        this.options.log('the events after the last one are no longer kept: loading all deals')
        await this.load()
        continue
      }
      const hasMoved = await this.apply(page)
      isCurrent = this.state.after! >= page.last
      if (isCurrent) await this.compareIfDue()
      if (isCurrent && !isEndless) return
      // A portal that is being restarted answers at once.
      if (!hasMoved && Date.now() - began < pauseMs) await this.pause()
    }
  }

  private async pause(): Promise<void> {
    await sleep(pauseMs, undefined, { signal: this.options.signal }).catch(() => {})
  }

  /** Fails if the portal's events are not those that the copy has. */
  private async requireSameEvents(): Promise<void> {
    const { after, mark } = this.state
    if (after === null || after < 1 || mark === null) return
    const page = await orGone(this.options.api.events(after - 1, { limit: 1 }))
    if (page === null || (page.events[0] !== undefined && markOf(page.events[0]) === mark)) return
    throw new Failure(
      `event ${after} of the portal is not the one that this copy has: the token belongs to another partner, or the portal was restored from a backup. Check the token; then load all deals again with --reload`,
      exitCodes.differs,
    )
  }

  /** Reads all deals into the copy, beside those that it has, and removes what was not among them. */
  private async load(): Promise<void> {
    const { api, target, log } = this.options
    if (this.state.load === null) {
      const { events, last } = await api.events(-1, { limit: 1 })
      const newest = events.at(-1)
      const mark = newest?.sequence === last ? markOf(newest) : null
      this.state = {
        ...this.state,
        loadNumber: this.state.loadNumber + 1,
        load: { after: last, mark, cursor: null, deals: 0, isRead: false },
      }
      await target.write({ state: this.state, load: 'begin' })
    } else log(`continuing a load after ${this.state.load.deals} deals`)
    if (!this.state.load!.isRead) await this.readAllDeals()
    await this.endLoad()
  }

  private async readAllDeals(): Promise<void> {
    const { api, target, signal, log } = this.options
    let rows: DealRows[] = []
    let writtenAt = Date.now()
    let page = await this.firstPage()
    for (;;) {
      const { next } = page
      // Is read while these are written.
      const following = next === null ? null : api.search(next)
      following?.catch(() => {})
      rows.push(...page.deals.map(rowsOf))
      const isLate = Date.now() - writtenAt > unwrittenMaxMs
      if (rows.length >= dealsPerWrite || isLate || following === null) {
        const deals = this.state.load!.deals + rows.length
        this.state = {
          ...this.state,
          load: { ...this.state.load!, cursor: next, deals, isRead: next === null },
        }
        await target.write({ state: this.state, deals: rows, load: 'page' })
        this.counts.loaded += rows.length
        log(`loaded ${deals} deals`)
        rows = []
        writtenAt = Date.now()
        signal.throwIfAborted()
      }
      if (following === null) return
      page = await following
    }
  }

  /** Reads the page where the load continues; begins again if the portal no longer knows the place. */
  private async firstPage() {
    const { api, target, log } = this.options
    const { cursor } = this.state.load!
    try {
      return await api.search(cursor)
    } catch (error) {
      if (cursor === null || !(error instanceof Refused) || error.status !== 400) throw error
      log('the portal no longer knows where the load stopped: beginning again')
      this.state = { ...this.state, load: { ...this.state.load!, cursor: null, deals: 0 } }
      await target.write({ state: this.state, load: 'begin' })
      return api.search(null)
    }
  }

  private async endLoad(): Promise<void> {
    const { target } = this.options
    const { after, mark } = this.state.load!
    const removed = await target.countUnloaded(this.state)
    await this.brake(removed)
    const now = new Date().toISOString()
    this.state = {
      ...this.state,
      after,
      mark,
      load: null,
      loadedAt: now,
      comparedAt: now,
      columns: columnsVersion,
    }
    await target.write({ state: this.state, load: 'end' })
    this.counts.removed += removed
  }

  /** Writes a page of events; returns whether there was anything to write. */
  private async apply({ events, last, next }: EventPage): Promise<boolean> {
    this.last = last
    const after = Math.max(this.state.after!, next ?? 0, events.at(-1)?.sequence ?? 0)
    if (after === this.state.after) return false
    const newest = new Map(
      events.filter(({ type }) => type in effects).map((event) => [dealIdOf(event), event]),
    )
    const idsOf = (effect: string) =>
      [...newest].filter(([, { type }]) => effects[type] === effect).map(([id]) => id)
    const removed = idsOf('remove')
    await this.brake(removed.length)
    const deals = idsOf('write').map((id) => rowsOf(newest.get(id)!.data))
    const lastEvent = events.at(-1)
    const mark = lastEvent?.sequence === after ? markOf(lastEvent) : null
    this.state = { ...this.state, after, mark }
    await this.options.target.write({ state: this.state, deals, removed, events: events.map(eventRow) })
    this.counts.events += events.length
    this.counts.written += deals.length
    this.counts.removed += removed.length
    return true
  }

  private async compareIfDue(): Promise<void> {
    if (!isComparisonDue(this.state.comparedAt, new Date())) return
    const { missing, stale, gone } = await this.compare()
    this.options.log(`compared: ${missing.length} missing, ${stale.length} stale, ${gone.length} gone`)
    if (missing.length + stale.length > readSinglyMax) return this.load()
    const removed = gone.map(BigInt)
    const deals: DealRows[] = []
    for (const id of [...missing, ...stale]) {
      const deal = await this.options.api.deal(id)
      if (deal === null) removed.push(BigInt(id))
      else deals.push(rowsOf(deal))
    }
    await this.brake(removed.length)
    this.state = { ...this.state, comparedAt: new Date().toISOString() }
    await this.options.target.write({ state: this.state, deals, removed })
    this.counts.compared++
    this.counts.written += deals.length
    this.counts.removed += removed.length
  }

  /** Compares the ids and times of all deals with the portal. */
  private async compare(): Promise<Pick<Comparison, 'missing' | 'stale' | 'gone'>> {
    const all: Pick<Comparison, 'missing' | 'stale' | 'gone'> = { missing: [], stale: [], gone: [] }
    let after: string | null = null
    let held: { id: string; lastModified: Cell }[] = []
    const compareUpTo = async (upTo: string | null) => {
      for (;;) {
        const result: Comparison = await this.options.api.compare(held, after, upTo)
        for (const name of ['missing', 'stale', 'gone'] as const) all[name].push(...result[name])
        if (result.next === null) break
        const from = BigInt(result.next)
        after = String(from)
        held = held.filter(({ id }) => BigInt(id) > from)
      }
      after = upTo
      held = []
    }
    for await (const [id, lastModified] of this.options.target.versions()) {
      if (held.length === heldPerComparison) await compareUpTo(held.at(-1)!.id)
      held.push({ id: id!, lastModified: lastModified! })
    }
    await compareUpTo(null)
    return all
  }

  /** Counts removals. @throws Failure if they are too many */
  private async brake(removed: number): Promise<void> {
    if (removed === 0) return
    const { target, allowDeletes } = this.options
    const held = await target.count()
    const { removals, isTooMany } = countRemovals(this.state.removals, { held, removed, now: new Date() })
    if (isTooMany && !allowDeletes)
      throw new Failure(
        `${removals.removed} of ${removals.held} deals would be removed within a day, more than a fifth: nothing was removed. If that is right, run once with --allow-deletes`,
        exitCodes.differs,
      )
    this.state = { ...this.state, removals: isTooMany ? null : removals }
  }
}

const effects: Record<string, 'write' | 'remove'> = {
  'deal.created': 'write',
  'deal.updated': 'write',
  'deal.removed': 'remove',
}

const markOf = (event: ReceivedEvent) => `${event.sequence} ${dealIdOf(event)} ${event.timestamp}`

/** Returns null if the events are no longer kept. */
async function orGone(page: Promise<EventPage>): Promise<EventPage | null> {
  try {
    return await page
  } catch (error) {
    if (error instanceof Refused && error.status === gone) return null
    throw error
  }
}

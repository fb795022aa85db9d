import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type DealEvent, type EventPage, type PartnerDeals } from '#public/clients/partner-deals.ts'
import { Failure, exitCodes } from './failures.ts'
import { type CopyState, countRemovals, isComparisonDue } from './state.ts'
import { type DealRows, columnsVersion, eventRow, lastModifiedAt, rowsOf } from './tables.ts'
import type { Batch, Target } from './target.ts'

interface RunOptions {
  client: PartnerDeals
  target: Target
  state: CopyState
  allowDeletes: boolean
  signal: AbortSignal
  log: (line: string) => void
}

const dealsPerWrite = 500
/** If more deals than this have to be fetched, loading all deals takes fewer requests. */
const readSinglyMax = 1000
const waitS = 25
const pauseMs = 1000
const written = ['deal.created', 'deal.updated']
const dealTypes = [...written, 'deal.removed']

/** Updates a copy that this process has the lease on. */
export class Run {
  private readonly options: RunOptions
  state: CopyState
  readonly counts = { loaded: 0, events: 0, written: 0, removed: 0, compared: 0 }
  last: number | null = null

  constructor(options: RunOptions) {
    this.options = options
    this.state = options.state
  }

  /**
   * Loads all deals if needed, then applies events: up to the newest one, or, if `isEndless`, until `signal`
   * aborts.
   */
  async update({ reload, isEndless }: { reload: boolean; isEndless: boolean }): Promise<void> {
    const { client, signal, log } = this.options
    if (reload) this.state = { ...this.state, load: null }
    const { load, columns } = this.state
    if (load === null && !reload) await this.requireSameEvents()
    if (load !== null || columns !== columnsVersion || reload) await this.load()
    for (let isCurrent = false; ;) {
      signal.throwIfAborted()
      const began = Date.now()
      const wait: number = isCurrent ? waitS : 0
      const query = { after: this.state.after!, limit: 100, wait }
      const page: EventPage | null = await unless(410, client.events.list(query))
      if (page === null) {
        log('the portal has deleted the next events: loading all deals')
        await this.load()
        continue
      }
      const hasMoved = await this.apply(page)
      isCurrent = this.state.after! >= page.last
      if (isCurrent && isComparisonDue(this.state.comparedAt, new Date())) await this.compare()
      if (isCurrent && !isEndless) return
      // A portal that is shutting down responds without waiting, so pause here instead.
      if (!hasMoved) await sleep(Math.max(0, began + pauseMs - Date.now()))
    }
  }

  /** @throws Failure if the portal's events are not those that the copy contains */
  private async requireSameEvents(): Promise<void> {
    const { after, mark } = this.state
    if (after === null || mark === null) return
    const page = await unless(410, this.options.client.events.list({ after: after - 1, limit: 1 }))
    if (page === null || markAt(after, page.events) === mark) return
    throw new Failure(
      `event ${after} of the portal differs from the one in this copy: the token belongs to another partner, or the portal was restored from a backup. Check the token, then load all deals again with --reload`,
      exitCodes.differs,
    )
  }

  /** Loads all deals, then removes the deals that the portal no longer has. */
  private async load(): Promise<void> {
    const { log } = this.options
    if (this.state.load === null) await this.beginLoad()
    else log(`continuing a load after ${this.state.load.deals} deals`)
    if ((await unless(400, this.readAllDeals())) === null) {
      log('the portal rejects the cursor of the load: starting again')
      await this.beginLoad()
      await this.readAllDeals()
    }
    const { after, mark } = this.state.load!
    const removed = await this.options.target.countUnloaded(this.state)
    await this.limitRemovals(removed)
    const now = new Date().toISOString()
    const done = { after, mark, load: null, loadedAt: now, comparedAt: now, columns: columnsVersion }
    await this.write(done, { load: 'end' })
    this.counts.removed += removed
  }

  private async beginLoad(): Promise<void> {
    const { events, last } = await this.options.client.events.list({ after: -1, limit: 1 })
    const load = { after: last, mark: markAt(last, events), cursor: '', deals: 0 }
    await this.write({ loadNumber: this.state.loadNumber + 1, load }, { load: 'begin' })
  }

  /** Writes the remaining pages of the load. Fetches the next page while the current one is being written. */
  private async readAllDeals(): Promise<void> {
    const { client, signal, log } = this.options
    const read = (cursor: string) => client.deals.searchPage({ sort: 'id', cursor: cursor || null })
    let load = this.state.load!
    let rows: DealRows[] = []
    for (let page = load.cursor === null ? null : read(load.cursor); page !== null;) {
      const { deals, next } = await page
      page = next === null ? null : read(next)
      page?.catch(() => {})
      rows.push(...deals.map(rowsOf))
      if (rows.length < dealsPerWrite && page !== null) continue
      load = { ...load, cursor: next, deals: load.deals + rows.length }
      await this.write({ load }, { deals: rows, load: 'page' })
      this.counts.loaded += rows.length
      log(`loaded ${load.deals} deals`)
      rows = []
      signal.throwIfAborted()
    }
  }

  /** Writes a page of events. Returns false if the page was empty. */
  private async apply({ events, last, next }: EventPage): Promise<boolean> {
    this.last = last
    if (next === this.state.after) return false
    const newest = new Map(
      events.filter(({ type }) => dealTypes.includes(type)).map((event) => [event.dealId, event]),
    )
    const deals: DealRows[] = []
    const removed: bigint[] = []
    for (const [id, { type, data }] of newest)
      if (written.includes(type)) deals.push(rowsOf(data))
      else removed.push(BigInt(id))
    await this.limitRemovals(removed.length)
    await this.write(
      { after: next, mark: markAt(next, events) },
      { deals, removed, events: events.map(eventRow) },
    )
    this.counts.events += events.length
    this.count({ deals, removed })
    return true
  }

  /** Compares the IDs and modification times of all deals with the portal's, and corrects differences. */
  private async compare(): Promise<void> {
    const { client, target, log } = this.options
    const copied: [string, string | null][] = []
    for await (const { id, deal } of target.deals()) copied.push([String(id), deal[lastModifiedAt]!])
    const { missing, stale, gone } = await client.events.reconcile(copied)
    log(`compared: ${missing.length + stale.length} missing or stale, ${gone.length} gone`)
    if (missing.length + stale.length > readSinglyMax) return this.load()
    const removed = gone.map(BigInt)
    const deals: DealRows[] = []
    for (const id of [...missing, ...stale]) {
      const deal = await unless(404, client.deals.get(id))
      if (deal === null) removed.push(BigInt(id))
      else deals.push(rowsOf(deal))
    }
    await this.limitRemovals(removed.length)
    await this.write({ comparedAt: new Date().toISOString() }, { deals, removed })
    this.counts.compared++
    this.count({ deals, removed })
  }

  private count({ deals, removed }: { deals: DealRows[]; removed: bigint[] }): void {
    this.counts.written += deals.length
    this.counts.removed += removed.length
  }

  /** Writes data and the changed state in one transaction. */
  private async write(change: Partial<CopyState>, data: Omit<Batch, 'state'>): Promise<void> {
    this.state = { ...this.state, ...change }
    await this.options.target.write({ state: this.state, ...data })
  }

  /** @throws Failure if this run and those of the last day remove too many deals */
  private async limitRemovals(removed: number): Promise<void> {
    if (removed === 0) return
    const { target, allowDeletes } = this.options
    const copiedCount = await target.count()
    const { removals, isTooMany } = countRemovals(this.state.removals, {
      held: copiedCount,
      removed,
      now: new Date(),
    })
    if (isTooMany && !allowDeletes)
      throw new Failure(
        `nothing was removed: ${removals.removed} of ${removals.held} deals would be removed within a day, more than a fifth. If that is correct, run once with --allow-deletes; otherwise run with --reload once the portal has them again`,
        exitCodes.differs,
      )
    this.state = { ...this.state, removals: isTooMany ? null : removals }
  }
}

/**
 * Returns a string that identifies the last event, or null if that event does not have this sequence number.
 */
const markAt = (sequence: number, events: DealEvent[]) => {
  const event = events.at(-1)
  return event?.sequence === sequence ? `${sequence} ${event.dealId} ${event.timestamp}` : null
}

/** Returns the response, or null if the portal responds with this status. */
async function unless<T>(status: number, response: Promise<T>): Promise<T | null> {
  try {
    return await response
  } catch (error) {
    if (error instanceof ApiError && error.status === status) return null
    throw error
  }
}

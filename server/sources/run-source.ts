import type { Database } from '#db/client.ts'
import { insertEntry } from '../audit/store.ts'
import { prepareWrites, writeDeals, writePrepared } from '../deals/deal-writer.ts'
import { updateUsualZones } from '../deals/list-store.ts'
import { deleteDeal } from '../deals/removal-store.ts'
import { removeWithFiles } from '../files/actions.ts'
import type { Storages } from '../files/storage.ts'
import { StageMatcher } from '../stages/spelling.ts'
import { makeStageMatcher, saveDescribedStages } from '../stages/store.ts'
import { int64Min } from '../values/int64.ts'
import { watchRemoved } from './announced-store.ts'
import { readAsOf } from './as-of-store.ts'
import type { CrmDirectory, CrmRecord, CrmSource, CrmStage } from './crm-source.ts'
import { saveDirectory, snapshotOf } from './directory-store.ts'
import { type PageDeps, dealIdsOf, makePage, rejectOf } from './make-page.ts'
import { SourceSettings, missingProperties, propertiesOf } from './mapping.ts'
import { readPageFiles } from './named-files.ts'
import {
  type PageRecord,
  beginComparison,
  closeStoredWindow,
  compareSoon,
  countRemoved,
  endComparison,
  endPlacing,
  deleteSourceDeal,
  openStoredWindow,
  readFormerStages,
  readKnownDeals,
  readMisplaced,
  readUnmet,
  recordingPage,
  saveSourceStages,
} from './page-store.ts'
import { comparisonMs, lateMs } from './policy.ts'
import { type RecordReader, makeRecordReader } from './read-record.ts'
import {
  type Reread,
  goneOf,
  isHourlyDue,
  removeIfGone,
  rereadAnnounced,
  rereadLate,
  rereadRemoved,
} from './reread.ts'
import { lastIdOf, needsApproval } from './source-state.ts'
import { type LeasedSource, countOfSource, readPartnerValues } from './store.ts'
import { endTrial, recordTrialRead, readOpenTrial } from './trial-store.ts'
import { describedOf, runTrial } from './try-mapping.ts'

/**
 * Thrown when a run ends early because another run has begun, the source has changed, or the process is
 * stopping.
 */
export class RunStoppedError extends Error {}

export interface RunDeps {
  db: Database
  crm: CrmSource
  storages: Storages
  signal: AbortSignal
  lateMs?: typeof lateMs
}

// Maximum number of deals moved to another partner in one transaction, and of removals checked at a time.
const placedAtOnce = 250
const goneAtOnce = 1000

/**
 * Reads all changes in a leased source since the last run, resuming an interrupted run, and compares all
 * records daily. Each page is written in one transaction together with its cursor. Returns the reason why
 * files of deals could not be read, or null.
 * @throws SourceError; RunStoppedError if the lease is lost or the process stops
 */
export async function runSource(leased: LeasedSource, deps: RunDeps): Promise<string | null> {
  const run = new SourceRun(leased, deps)
  await run.run()
  return run.filesProblem
}

class SourceRun {
  readonly #source: LeasedSource
  readonly #deps: RunDeps
  readonly #settings: SourceSettings
  #directory!: CrmDirectory
  #reader!: RecordReader
  #partners: ReadonlyMap<string, number> = new Map()
  #properties: string[] = []
  #stages = new StageMatcher([])
  /** Time up to which all sources have been read, for events. */
  #asOf: Date | null = null
  filesProblem: string | null = null

  constructor(leased: LeasedSource, deps: RunDeps) {
    this.#source = { ...leased }
    this.#deps = deps
    this.#settings = SourceSettings.parse(JSON.parse(leased.settings))
  }

  async run(): Promise<void> {
    if (this.#source.connectedAt === null) {
      await this.#runConnectionTrial()
      return
    }
    await this.#readDirectory()
    await this.#saveStages()
    await this.#place()
    await this.#tryMapping()
    await this.#follow()
    await this.#compare()
  }

  get #reread(): Reread {
    return {
      ...this.#deps,
      source: this.#source,
      properties: this.#properties,
      lateMs: this.#deps.lateMs ?? lateMs,
      throwIfStopped: () => this.#throwIfStopped(),
      write: (records) => this.#writePage(records, null, null),
      remove: (ids) => this.#removeAnnounced(ids),
    }
  }

  #throwIfStopped(): void {
    if (this.#deps.signal.aborted) throw new RunStoppedError()
  }

  async #readDirectory(): Promise<void> {
    const { crm, db } = this.#deps
    const present = await crm.readDirectory()
    const former = await readFormerStages(db, this.#source.id, present.stages)
    const directory = { ...present, stages: [...present.stages, ...former] }
    this.#directory = directory
    this.#reader = makeRecordReader(this.#settings, directory)
    await saveDirectory(db, this.#source, {
      missing: missingProperties(this.#settings, directory),
      ...snapshotOf(this.#settings, directory),
    })
    this.#properties = ['dealname', ...propertiesOf(this.#settings)].filter(
      (name, at, all) => directory.properties.has(name) && all.indexOf(name) === at,
    )
    this.#partners = new Map(
      (await readPartnerValues(db, this.#source.id)).map(({ value, partnerId }) => [value, partnerId]),
    )
    this.#asOf = await readAsOf(db)
    this.#stages = await makeStageMatcher(db)
  }

  async #saveStages(): Promise<void> {
    const { db } = this.#deps
    const { stages } = this.#directory
    const changed = await saveSourceStages(db, this.#source.id, stages)
    if (changed.length === 0) return
    const nameOf = ({ stage }: CrmStage) => this.#stages.match(stage).name
    await saveDescribedStages(db, describedOf(stages, this.#stages), new Set(changed.map(nameOf)))
  }

  async #place(): Promise<void> {
    const { placingAt, placingEvents } = this.#source
    const { db } = this.#deps
    if (placingAt === null) return
    for (;;) {
      this.#throwIfStopped()
      const misplaced = await readMisplaced(db, this.#source.id, {
        names: this.#settings.partnerProperty !== null,
        limit: placedAtOnce,
      })
      if (misplaced.length === 0) break
      await writeDeals(
        db,
        misplaced.map((deal) => ({ record: { id: deal.id }, partnerId: deal.partnerId })),
        { now: new Date(), events: placingEvents, asOf: this.#asOf },
      )
    }
    await endPlacing(db, this.#source, placingAt)
  }

  async #runConnectionTrial(): Promise<void> {
    if ((await readOpenTrial(this.#deps.db, this.#source.id)) === undefined) return
    await this.#readDirectory()
    await this.#tryMapping()
  }

  /** Computes the effects of a mapping that an operator wants to apply. */
  async #tryMapping(): Promise<void> {
    const { db, crm } = this.#deps
    const trial = await readOpenTrial(db, this.#source.id)
    if (trial === undefined) return
    let followedAt = performance.now()
    const result = await runTrial(
      { db, crm, sourceId: this.#source.id, settings: trial.settings, directory: this.#directory },
      async (read) => {
        this.#throwIfStopped()
        if (!(await recordTrialRead(db, trial, read))) return false
        if (this.#source.loadedAt === null || performance.now() - followedAt < this.#source.pollS * 1000)
          return true
        await this.#follow()
        followedAt = performance.now()
        return true
      },
    )
    if (result !== undefined) await endTrial(db, trial, result)
  }

  /** Reads the changes up to now: the rest of the open window or a new window, and late changes before it. */
  async #follow(): Promise<void> {
    const { db, crm } = this.#deps
    const source = this.#source
    const isLoaded = source.loadedAt !== null
    if (isLoaded) await rereadAnnounced(this.#reread)
    if (source.toMs === null) {
      const { fromMs } = source
      const window = { fromMs, toMs: Math.max(crm.nowMs(), fromMs), afterId: int64Min }
      if (!(await openStoredWindow(db, source, window))) throw new RunStoppedError()
      Object.assign(source, { ...window, windowTotal: null })
    }
    const window = { fromMs: source.fromMs, toMs: source.toMs! }
    for (;;) {
      this.#throwIfStopped()
      const page = await crm.readChanges(window, source.afterId, this.#properties)
      const last = page.records.at(-1)
      if (last === undefined) break
      await this.#writePage(page.records, { afterId: lastIdOf(page.records, source.afterId) }, page.total)
      if (page.records.length < crm.pageSize) break
    }
    const isDayReread = isLoaded && isHourlyDue(source.rereadAt)
    if (isLoaded) {
      await rereadLate(this.#reread, window, isDayReread)
      await rereadRemoved(this.#reread)
    }
    if (!(await closeStoredWindow(db, source, { ...window, isDayReread }))) throw new RunStoppedError()
    Object.assign(source, { fromMs: window.toMs, toMs: null })
    if (isDayReread || !isLoaded) source.rereadAt = new Date()
    this.#asOf = await readAsOf(db)
    if (source.loadedAt === null) {
      source.loadedAt = new Date()
      await updateUsualZones(db)
    }
  }

  /** If due, compares all records with the stored deals and removes deals that no longer exist. */
  async #compare(): Promise<void> {
    const { db, crm } = this.#deps
    const source = this.#source
    if (source.comparingAfter === null) {
      const begun = await beginComparison(db, source)
      if (begun === null) return
      source.comparison = begun
      source.comparingAfter = ''
    }
    let followedAt = performance.now()
    while (source.comparingAfter !== endOfAll) {
      this.#throwIfStopped()
      const page = await crm.readAll(source.comparingAfter!, this.#properties)
      await this.#writePage(page.records, { comparingAfter: page.next ?? endOfAll }, null)
      if (performance.now() - followedAt < source.pollS * 1000) continue
      await this.#follow()
      followedAt = performance.now()
    }
    await this.#removeGone()
  }

  async #removeGone(): Promise<void> {
    const { db, crm } = this.#deps
    const source = this.#source
    const gone: bigint[] = []
    for (let after = -(2n ** 63n); ;) {
      this.#throwIfStopped()
      const unmet = await readUnmet(db, source.id, source.comparison, after, goneAtOnce)
      if (unmet.length === 0) break
      // Checks these deals again by id, because a list that changes while it is read can miss deals.
      gone.push(...(await goneOf(crm, unmet)))
      after = unmet.at(-1)!
    }
    const waits = !(await this.#remove(gone, 'comparison'))
    await endComparison(db, source, {
      nextMs: comparisonMs,
      removed: waits ? 0 : gone.length,
      waiting: waits ? gone.length : 0,
    })
    source.comparingAfter = null
    source.isQuiet = false
  }

  /**
   * Removes deals that no longer exist. If there are too many, schedules a comparison, which asks for
   * approval.
   */
  async #removeAnnounced(gone: readonly bigint[]): Promise<void> {
    const { db } = this.#deps
    if (await this.#remove(gone, 'source')) await countRemoved(db, this.#source, gone.length)
    else await compareSoon(db, this.#source)
  }

  /** Removes deals with their files. Returns false if an operator must approve the removal first. */
  async #remove(gone: readonly bigint[], who: string): Promise<boolean> {
    const { db } = this.#deps
    const source = this.#source
    if (gone.length === 0) return true
    const { deals } = await countOfSource(db, source.id)
    if (needsApproval(gone.length, deals, source.removalsApproved)) return false
    for (const id of gone) {
      this.#throwIfStopped()
      await removeWithFiles(this.#deps, id, (lockFiles) =>
        db.transaction(async (tx) => {
          await lockFiles(tx)
          await deleteDeal(tx, id)
        }),
      )
      await deleteSourceDeal(db, id)
    }
    if (this.#deps.crm.readArchived !== undefined) await watchRemoved(db, source.id, gone)
    await insertEntry(db, {
      action: 'source.removed-deals',
      subject: `${source.name} (${gone.length} removed)`,
      partnerId: null,
      who,
      userId: null,
      address: null,
    })
    return true
  }

  /** Writes a page of records. Returns the ids of the accepted records. */
  async #writePage(
    records: readonly CrmRecord[],
    next: PageRecord['next'],
    total: number | null,
  ): Promise<ReadonlySet<string>> {
    const { crm, db } = this.#deps
    const source = this.#source
    const isComparing = isOfComparison({ next })
    // A property that is missing from all records may have just been deleted. Its field then keeps its
    // values.
    const isGone = (name: string) => !records.some(({ values }) => name in values)
    if (records.length > 0 && this.#properties.some(isGone)) await this.#readDirectory()
    const deps: PageDeps = {
      sourceId: source.id,
      settings: this.#settings,
      reader: this.#reader,
      partners: this.#partners,
      stages: this.#stages,
      nowMs: crm.nowMs(),
      ...(source.isQuiet && { quiet: { isComparing, readUpToMs: next === null ? -1 : source.fromMs } }),
    }
    const known = await readKnownDeals(db, dealIdsOf(records))
    const made = makePage(deps, records, known)
    const prepared = await prepareWrites(db, made.writes, {})
    const written = made.writes.map(({ record }) => String(record.id))
    const tooLong = new Set(written.filter((_, at) => prepared[at]!.outcome === 'too long'))
    const files = await readPageFiles(crm, records, this.#settings, this.#directory)
    this.filesProblem ??= files?.problem ?? null
    const count = (wanted: string) => prepared.filter(({ outcome }) => outcome === wanted).length
    const rejected = made.rejects.filter(({ isWritten }) => !isWritten).length
    const page: PageRecord = {
      at: { afterId: source.afterId, toMs: source.toMs, comparingAfter: source.comparingAfter },
      next,
      read: records.length,
      total: source.windowTotal === null ? total : null,
      created: count('created'),
      updated: count('updated'),
      unchanged: records.length - count('created') - count('updated') - rejected - tooLong.size,
      differing: isComparing ? count('created') + count('updated') : 0,
      comparison: source.comparison,
      deals: made.deals.filter(({ id }) => !tooLong.has(String(id))),
      ids: made.ids,
      files,
      rejects: [
        ...made.rejects,
        ...records
          .filter(({ id }) => tooLong.has(id))
          .map((record) => rejectOf(record, [{ field: null, reason: 'has more text than fits' }], deps)),
      ],
    }
    await this.#commitPage(prepared, page)
    source.windowTotal ??= total
    Object.assign(source, next)
    if (source.loadedAt !== null && !isComparing) await this.#removeMerged(records, known)
    return new Set(written.filter((id) => !tooLong.has(id)))
  }

  async #removeMerged(
    records: readonly CrmRecord[],
    known: Awaited<ReturnType<typeof readKnownDeals>>,
  ): Promise<void> {
    const merged = records.flatMap(({ mergedIds = [] }) => mergedIds)
    if (merged.length === 0) return
    const own = (await removeIfGone(this.#reread, merged)).map(String)
    // A new deal that was merged from unknown deals ends a chain of merges, in which no record refers to the
    // first deals.
    const isChained = records.some(
      ({ id, mergedIds = [] }) =>
        known.get(BigInt(id))?.isStored !== true && mergedIds.some((each) => !own.includes(each)),
    )
    if (isChained) await compareSoon(this.#deps.db, this.#source)
  }

  async #commitPage(prepared: Awaited<ReturnType<typeof prepareWrites>>, page: PageRecord): Promise<void> {
    const { db } = this.#deps
    let isRecorded = false
    const record = recordingPage(this.#source, page)
    if (prepared.every(({ row }) => row === undefined))
      isRecorded = (await db.$client.begin((sql) => record(sql))) as boolean
    else
      await writePrepared(db, prepared, {
        now: new Date(),
        asOf: this.#asOf,
        // The first load sends no events, because partners read the whole list.
        events: this.#source.loadedAt !== null && !(this.#source.isQuiet && isOfComparison(page)),
        record: async (sql) => (isRecorded = await record(sql)),
      })
    if (!isRecorded) throw new RunStoppedError()
  }
}

const isOfComparison = ({ next }: Pick<PageRecord, 'next'>) => next !== null && 'comparingAfter' in next

const endOfAll = 'end'

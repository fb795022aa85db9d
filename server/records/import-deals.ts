import { hash, randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { TransactionSql } from 'postgres'
import { type Database, withOwnConnection } from '#db/client.ts'
import {
  type DealChange,
  type DealWrite,
  type Outcome,
  type StoredDeal,
  clearedFields,
  decide,
} from '../deals/change.ts'
import { allFlags } from '../deals/columns.ts'
import { type PreparedWrite, makeRows, prepareWrite, writePrepared } from '../deals/deal-writer.ts'
import type { DealField, DealRecord } from '../deals/deal.ts'
import { updateUsualZones } from '../deals/list-store.ts'
import { type ComparedDeal, readCompared } from '../deals/row-store.ts'
import type { StatusAsOf } from '../deals/written-columns.ts'
import type { StageMatcher } from '../stages/spelling.ts'
import { makeStageOf } from '../stages/stage.ts'
import { readAllStages } from '../stages/store.ts'
import { parseJson } from '../values/int64.ts'
import { deleteBatches, recordBatch, findRepeats } from './import-store.ts'
import {
  type Fault,
  quoted,
  ofOtherPartner,
  shortened,
  unwritten,
  type RecordSource,
  type SourceItem,
} from './record-source.ts'
import { type ReadRecord, readRecord, unknownFields, unknownPartner } from './record.ts'
import { throughFailover } from './through-failover.ts'

/** The results of importing a file's records. */
export interface ImportCounts {
  created: number
  updated: number
  unchanged: number
  rejected: number
  /** Number of unreadable values in records that were not rejected. */
  unreadable: number
}

export const noCounts = (): ImportCounts => ({
  created: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  unreadable: 0,
})

/** Returns the number of records that were read. */
export const countRecords = ({ created, updated, unchanged, rejected }: ImportCounts) =>
  created + updated + unchanged + rejected

/** A record in the form of a table row. */
interface TableRow {
  titles: string[]
  cells: string[]
}

/** Callbacks of a running import. */
export interface ImportReport {
  /** Called for each problem of a rejected record. */
  rejected(line: number, fault: Fault): void
  /** Called for each rejected record with its problems. `row` returns the record as a table row. */
  rejectedRow?(line: number, faults: Fault[], row: () => TableRow): void
  /** Called for each record that is imported without its unreadable values. */
  unreadable?(line: number, faults: Fault[], row: () => TableRow): void
  /** Called once for each unknown field. */
  unknown(field: string, line: number): void
  /** Called for a record that is skipped because its id occurs again on line `last`. */
  superseded(line: number, id: bigint, last: number): void
  /**
   * Called in a dry run for each deal that would be created or updated, with the fields that would lose a
   * value.
   */
  changed?(line: number, change: DealChange, cleared: DealField[]): void
  /**
   * Called in a dry run for each deal of another partner that the import moves, or would move if allowed to.
   */
  leaving?(line: number, deal: { id: bigint; partnerId: number; name: string | null }): void
  /** Called for each deal that leaves a partner. */
  moved?(partnerId: number): void
  progress(counts: ImportCounts): void
}

export interface ImportOptions {
  /** The partner of all records. If missing, each record names its partner. */
  partner?: { id: number; slug: string }
  /** All partners, which records may name. */
  partners: readonly { id: number; slug: string }[]
  /**
   * Deals of other partners that an import for a partner may move: all, or those returned with their current
   * partner. If missing, no deals are moved. A record that names its partner always moves its deal.
   */
  moves?: 'all' | ((ids: bigint[]) => Promise<ReadonlyMap<bigint, number>>)
  /** Matches spellings of existing stages. If missing, stages are used as they are in the file. */
  stages?: StageMatcher
  /** True if a null clears its field. By default, this applies to JSON, but not to empty table cells. */
  clearsEmpty?: boolean | null
  dryRun: boolean
  events: boolean
  now?: () => Date
  /** The id under which undo data of the import is stored. */
  undoableAs?: number
  /** Returns true if the import should fail instead of waiting while the database is down. */
  isStopping?: () => boolean
}

// Number of deals per transaction. At this size, a transaction holds the lock for about 50 ms. Two batches
// are in memory at a time; with 500 deals each, the import took 390 MB.
const batchSize = 250

// Twice the size of a batch of typical deals.
const batchMaxBytes = 2 * 1024 * 1024

// Maximum time for reading, comparing and rendering records without a pause. Meanwhile, the transaction of
// the previous batch holds the lock and waits for its responses.
const turnMs = 1

// Maximum number of unknown fields reported. A hostile file may contain any number of unknown fields.
const unknownMax = 200

/**
 * Imports the records of a file: creates or updates deals by id in file order, with one transaction per
 * batch. Reports and skips invalid records. If an id occurs repeatedly, the last record wins. Memory is
 * bounded. After a lost connection or failover, repeats the interrupted batch with the same effect.
 * @system imports
 */
export async function importDeals(
  db: Database,
  source: RecordSource,
  options: ImportOptions,
  report: ImportReport,
): Promise<ImportCounts> {
  const batches = new BatchImport(db, source, options, report)
  let batch: SourceItem<unknown>[] = []
  let batchBytes = 0
  return withOwnConnection(db, async (connection) => {
    const repeats = await findRepeats(connection, source, options.isStopping ?? (() => false))
    try {
      for await (const item of source.items()) {
        const repeat = await repeats.at(item.line)
        if (repeat !== null) {
          report.superseded(item.line, repeat.id, repeat.last)
          continue
        }
        batchBytes += item.size
        if (batch.push(item) < batchSize && batchBytes < batchMaxBytes) continue
        await batches.add(batch)
        batch = []
        batchBytes = 0
      }
      await batches.add(batch)
      await batches.end()
      return batches.counts
    } finally {
      await batches.written().catch(() => {})
    }
  })
}

/** Imports consecutive batches. Prepares a batch while the previous one is being written. */
class BatchImport {
  readonly counts = noCounts()
  readonly #db: Database
  readonly #source: RecordSource
  readonly #options: ImportOptions
  readonly #report: ImportReport
  readonly #partnerIds: ReadonlyMap<string, number>
  /** Unknown fields that were already reported. */
  readonly #unknown = new Set<string>()
  readonly #id = randomUUID()
  #batch = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(db: Database, source: RecordSource, options: ImportOptions, report: ImportReport) {
    this.#db = db
    this.#source = source
    this.#options = options
    this.#report = report
    this.#partnerIds = new Map(options.partners.map(({ slug, id }) => [slug, id]))
  }

  /** Resolves when the batch is prepared and the previous batch is written. */
  async add(items: SourceItem<unknown>[]): Promise<void> {
    const [prepared] = await Promise.all([this.#prepare(items), this.#writing])
    this.#writing = this.#write(prepared)
    // The next batch awaits this promise. Marked as handled, so that an earlier failure does not end the
    // process.
    this.#writing.catch(() => {})
  }

  /** Resolves when the last batch is written. */
  written(): Promise<void> {
    return this.#writing
  }

  /** Resolves when all batches are written and the batch records of the import are deleted. */
  async end(): Promise<void> {
    await this.#writing
    if (this.#options.dryRun) return
    await this.#withRetry(() => deleteBatches(this.#db, this.#id))
    await this.#withRetry(() => updateUsualZones(this.#db))
  }

  #withRetry<T>(work: () => Promise<T>): Promise<T> {
    return throughFailover(work, this.#options.isStopping ?? (() => false))
  }

  /** Prepares the writes of a batch. Records that are stored byte for byte are not parsed. */
  async #prepare(items: SourceItem<unknown>[]): Promise<Prepared> {
    const ids = items.map(({ raw }) => this.#source.idOf(raw))
    const known = await this.#readStored(items, ids)
    const moves = await this.#readMoves(known)
    const stages = await this.#withRetry(() => readAllStages(this.#db))
    const asOf = { stageOf: makeStageOf(stages), nowMs: Date.now() }
    const prepared: Prepared = { records: [], writes: [] }
    let turn = performance.now() + turnMs
    for (const [index, item] of items.entries()) {
      if (performance.now() > turn) {
        await setImmediate()
        turn = performance.now() + turnMs
      }
      const id = ids[index] ?? null
      const existing = id === null ? undefined : known.get(id)
      if (this.#isStored(existing)) {
        this.counts.unchanged++
        continue
      }
      const read = this.#read(item, id, moves)
      if ('faults' in read) {
        prepared.records.push({ item, faults: read.faults, isRejected: true })
        continue
      }
      prepared.records.push({ item, faults: read.unreadable, isRejected: false })
      // Records are read again rather than kept, because parsed records take several times the memory of
      // rows.
      const rebuild = () => (this.#read(item, id, moves) as ReadWrite).write
      const stored = existing && this.#whole(item, existing)
      prepared.writes.push(this.#decide(item, read.write, stored, rebuild, asOf))
    }
    await this.#withRetry(() => makeRows(this.#db.$client, prepared.writes))
    return prepared
  }

  #readStored(items: SourceItem<unknown>[], ids: (bigint | null)[]): Promise<Map<bigint, ComparedDeal>> {
    const lookups = items.flatMap(({ raw }, index) => {
      const id = ids[index] ?? null
      if (id === null) return []
      const bytes = this.#source.bytesOf(raw)
      return [{ id, digest: bytes && hash('sha256', bytes) }]
    })
    return this.#withRetry(() => readCompared(this.#db.$client, lookups))
  }

  /**
   * Returns the deals that the import may take from other partners, with their current partners. The stored
   * deals may be among them.
   */
  #readMoves(stored: ReadonlyMap<bigint, ComparedDeal>): Promise<ReadonlyMap<bigint, number>> | null {
    const { partner, moves } = this.#options
    if (partner === undefined || typeof moves !== 'function') return null
    const others = [...stored].flatMap(([id, { partnerId }]) =>
      partnerId === null || partnerId === partner.id ? [] : [id],
    )
    return others.length === 0 ? null : this.#withRetry(() => moves(others))
  }

  /** Returns a stored deal with its JSON. If the database did not send the JSON, the record itself is the JSON. */
  #whole({ raw }: SourceItem<unknown>, there: ComparedDeal): StoredDeal {
    return { ...there, json: there.json ?? this.#source.bytesOf(raw)!.toString() }
  }

  #decide(
    { line }: SourceItem<unknown>,
    write: DealWrite,
    stored: StoredDeal | undefined,
    rebuild: () => DealWrite,
    asOf: StatusAsOf,
  ): PreparedWrite {
    const decision = decide(write, stored)
    const { outcome, change, leaves } = decision
    if (!this.#options.dryRun) return prepareWrite(decision, stored?.version, rebuild, asOf)
    if (change !== undefined && outcome !== 'unchanged')
      this.#report.changed?.(
        line,
        change,
        stored === undefined ? [] : clearedFields(write.record, change.changes),
      )
    if (leaves !== undefined && this.#options.partner !== undefined && write.record.partner === undefined)
      this.#report.leaving?.(line, { id: write.record.id, partnerId: leaves, name: nameIn(stored!.json) })
    return prepareWrite({ outcome, ...(leaves !== undefined && { leaves }) }, stored?.version, rebuild, asOf)
  }

  #isStored(existing: ComparedDeal | undefined): boolean {
    return (
      existing?.json === null &&
      existing.isCurrent &&
      // A record with the complete text sets every flag.
      existing.given === allFlags &&
      (this.#options.partner?.id ?? existing.partnerId) === existing.partnerId
    )
  }

  /**
   * Returns the write of a record, or the reasons for rejecting the record. `id` is the first id on the line,
   * and `moves` are the deals that may leave their partners.
   */
  #read(
    { line, raw }: SourceItem<unknown>,
    id: bigint | null,
    moves: ReadonlyMap<bigint, number> | null,
  ): ReadWrite | { faults: Fault[] } {
    const read = readSource(this.#source, raw)
    if ('value' in read) this.#reportUnknown(read.value, line)
    if ('faults' in read) return read
    // Repeated ids were detected by the first id on the line, but JSON parsers use the last one.
    if (read.record.id !== id) return { faults: [{ field: 'id', reason: 'is named twice; keep one' }] }
    const owner = ownerOf(read.record, this.#options.partner, this.#partnerIds)
    if ('fault' in owner) return { faults: [owner.fault] }
    const unsure = this.#matchStage(read.record)
    if (unsure !== null) return { faults: [unsure] }
    const { partner, moves: moved, clearsEmpty } = this.#options
    const write: DealWrite = { record: read.record, partnerId: owner.partnerId }
    if (partner !== undefined && read.record.partner === undefined && moved !== 'all')
      write.mayLeave = moves?.get(read.record.id) ?? null
    const clears = clearsEmpty ?? this.#source.isTableRow?.(raw) !== true
    if (!clears) write.keepsEmpty = true
    if (this.#source.versionOf !== undefined) write.replaces = this.#source.versionOf(raw)
    return { write, unreadable: read.unreadable }
  }

  /** Replaces the stage of a record by the matching one, or returns a problem if the operator must decide. */
  #matchStage(record: DealRecord): Fault | null {
    const { stages } = this.#options
    if (stages === undefined || record.stage == null) return null
    const { name, added } = stages.match(record.stage)
    if (added !== undefined && stages.isOpen(added))
      return { field: 'stage', reason: `“${name}” is new and like “${added.likely[0]}”: say which is meant` }
    record.stage = name
    return null
  }

  async #write({ records, writes }: Prepared): Promise<void> {
    const outcomes = writes.length > 0 ? await this.#writeBatch(writes) : []
    let written = 0
    // Problems are reported in the order of the file.
    for (const { item, faults, isRejected } of records) {
      if (isRejected) {
        this.#reject(item, faults)
        continue
      }
      const [outcome, { leaves }] = [outcomes[written]!, writes[written]!]
      written++
      if (outcome === 'other partner')
        this.#reject(item, [ofOtherPartner(this.#options.partners.find(({ id }) => id === leaves)?.slug)])
      else if (outcome in unwritten) this.#reject(item, [unwritten[outcome as keyof typeof unwritten]])
      else {
        this.counts[outcome as keyof ImportCounts]++
        if (leaves !== undefined) this.#report.moved?.(leaves)
        this.#reportUnreadable(item, faults)
      }
    }
    this.#report.progress(this.counts)
  }

  #writeBatch(writes: PreparedWrite[]): Promise<Outcome[]> {
    const { now = () => new Date(), events, dryRun, undoableAs } = this.#options
    const batch = { importId: this.#id, batch: ++this.#batch }
    const options = {
      now: now(),
      events,
      dryRun,
      record: (sql: TransactionSql) => recordBatch(sql, batch),
      ...(undoableAs !== undefined && { undoableAs }),
    }
    return this.#withRetry(() => writePrepared(this.#db, writes, options))
  }

  #reject({ line, raw }: SourceItem<unknown>, faults: Fault[]): void {
    this.counts.rejected++
    const source = this.#source
    const titled = shortened(faults).map((fault) => ({ ...fault, ...titleIn(source, raw, fault) }))
    for (const fault of titled) this.#report.rejected(line, fault)
    this.#report.rejectedRow?.(line, titled, this.#rowOf(raw))
  }

  #reportUnreadable({ line, raw }: SourceItem<unknown>, faults: Fault[]): void {
    if (faults.length === 0) return
    this.counts.unreadable += faults.length
    this.#report.unreadable?.(line, faults, this.#rowOf(raw))
  }

  #rowOf = (raw: unknown) => () => ({
    titles: this.#source.titlesOf(raw),
    cells: this.#source.cellsOf(raw),
  })

  #reportUnknown(value: object, line: number): void {
    for (const field of unknownFields(value)) {
      if (this.#unknown.has(field) || this.#unknown.size >= unknownMax) continue
      this.#unknown.add(field)
      this.#report.unknown(field, line)
    }
  }
}

/** Returns the column title of a problem, if any. */
function titleIn<Raw>(source: RecordSource<Raw>, raw: Raw, { field }: Fault): { title?: string } {
  const title = field === null ? undefined : source.cellOf?.(raw, field)?.title
  return title === undefined ? {} : { title }
}

const nameIn = (json: string) => (parseJson(json) as { dealname?: string | null }).dealname ?? null

/** The records of a batch, and the writes of records that are not rejected. */
interface Prepared {
  records: PreparedRecord[]
  writes: PreparedWrite[]
}

/** A record that is rejected, or written without its unreadable values. */
interface PreparedRecord {
  item: SourceItem<unknown>
  faults: Fault[]
  isRejected: boolean
}

/** A write, and the unreadable values of the record. */
interface ReadWrite {
  write: DealWrite
  unreadable: Fault[]
}

function readSource<Raw>(
  source: RecordSource<Raw>,
  raw: Raw,
): (ReadRecord & { value: object }) | { faults: Fault[]; value: object } | { faults: Fault[] } {
  const parsed = source.valueOf(raw)
  if ('faults' in parsed) return parsed
  const value =
    typeof parsed.value === 'object' && parsed.value !== null && !Array.isArray(parsed.value)
      ? parsed.value
      : {}
  // A restored deal is not validated again, because it may contain values that current readers reject.
  if (source.versionOf !== undefined) return { record: value as DealRecord, unreadable: [], value }
  return { ...readRecord(parsed.value, (field) => source.cellOf?.(raw, field)), value }
}

function ownerOf(
  { partner }: DealRecord,
  all: ImportOptions['partner'],
  partnerIds: ReadonlyMap<string, number>,
): { partnerId: number | null | undefined } | { fault: Fault } {
  if (all !== undefined) {
    if (partner === undefined || partner === all.slug) return { partnerId: all.id }
    return {
      fault: {
        field: 'partner',
        reason: `${quoted(partner)} is not ${all.slug}, the partner that the whole import is for`,
      },
    }
  }
  if (partner === undefined || partner === null) return { partnerId: partner }
  const partnerId = partnerIds.get(partner)
  return partnerId === undefined
    ? { fault: { field: 'partner', reason: unknownPartner(partner) } }
    : { partnerId }
}

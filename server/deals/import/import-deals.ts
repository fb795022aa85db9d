import { setImmediate } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { type Database, withOwnConnection } from '#db/client.ts'
import { type DealWrite, type Outcome, type PlannedWrite, writeDeals } from '../deal-writer.ts'
import type { DealRecord } from '../deal.ts'
import { readStored } from '../stored-store.ts'
import type { RecordSource, SourceItem } from './record-source.ts'
import { type Fault, readRecord, unknownFields } from './record.ts'

/** Outcomes of a file's records. */
export interface ImportCounts {
  created: number
  updated: number
  unchanged: number
  rejected: number
}

/** Callbacks of a running import. */
export interface ImportReport {
  /**
   * Called for each rejected record; `quote` returns it as it is in the file. Of a record with several
   * problems only the first call has it.
   */
  rejected(line: number, fault: Fault, quote: () => string): void
  /** Called once for each unknown field. */
  unknown(field: string, line: number): void
  /** Called for a record that is skipped because its id recurs on line `last`. */
  superseded(line: number, id: bigint, last: number): void
  /** Called, in a dry run only, for each deal that would be created or updated. */
  planned?(line: number, plan: PlannedWrite): void
  progress(counts: ImportCounts): void
}

export interface ImportOptions {
  /** The partner of all records; otherwise each names its own. */
  partner?: { id: number; slug: string }
  /** The ids of all partners by slug. */
  partnerIds: ReadonlyMap<string, number>
  dryRun: boolean
  events: boolean
  now: () => Date
}

// A transaction of this many deals takes about 100 ms, during which others wait for the lock.
const batchSize = 250

// A batch is prepared without interruption, and no other request is handled meanwhile: 250 deals are half of
// this.
const batchMaxBytes = 2 * 1024 * 1024

// Nobody corrects more problems of one record one by one.
const faultsMax = 20

/**
 * Imports the records of a file: upserts by id, in file order, one transaction per batch. Bad records are
 * reported and stop nothing else; of several records with one id the last counts. Memory does not grow with
 * the file.
 * @system imports
 */
export async function importDeals(
  db: Database,
  source: RecordSource,
  options: ImportOptions,
  report: ImportReport,
): Promise<ImportCounts> {
  const counts = { created: 0, updated: 0, unchanged: 0, rejected: 0 }
  const named = new Set<string>()
  let batch: SourceItem<unknown>[] = []
  let batchBytes = 0
  let writing = Promise.resolve()

  function reject({ line, raw }: SourceItem<unknown>, faults: Fault[]): void {
    counts.rejected++
    const told =
      faults.length <= faultsMax
        ? faults
        : [
            ...faults.slice(0, faultsMax - 1),
            { field: null, reason: `has ${faults.length - faultsMax + 1} more faults` },
          ]
    for (const [index, fault] of told.entries())
      report.rejected(line, fault, () => (index === 0 ? source.quote(raw) : ''))
  }

  /** Returns the writes of a batch; a record that is stored byte for byte is not parsed. */
  async function prepare(items: SourceItem<unknown>[]): Promise<Entry[]> {
    const ids = items.map(({ raw }) => source.idOf(raw))
    const stored = await readStored(
      db.$client,
      ids.filter((id) => id !== null),
    )
    return items.flatMap((item, index): Entry[] => {
      const { line, raw } = item
      const there = ids[index] == null ? undefined : stored.get(ids[index])
      if (
        there?.isCurrent === true &&
        there.json === source.textOf(raw) &&
        (options.partner?.id ?? there.partnerId) === there.partnerId
      ) {
        counts.unchanged++
        return []
      }
      const read = readSource(source, raw)
      if ('value' in read) tellUnknown(read.value, line)
      if ('faults' in read) {
        reject(item, read.faults)
        return []
      }
      // Repeats were detected by the first id in the line; in JSON the last one counts.
      if (read.record.id !== ids[index]) {
        reject(item, [{ field: 'id', reason: 'must be named once' }])
        return []
      }
      const owner = ownerOf(read.record, options)
      if ('partnerId' in owner) return [{ item, write: { record: read.record, partnerId: owner.partnerId } }]
      reject(item, [owner.fault])
      return []
    })
  }

  async function write(entries: Entry[]): Promise<void> {
    if (entries.length > 0) {
      const planned =
        options.dryRun && report.planned !== undefined
          ? {
              planned: (index: number, plan: PlannedWrite) =>
                report.planned!(entries[index]!.item.line, plan),
            }
          : {}
      const outcomes = await writeDeals(
        db,
        entries.map((entry) => entry.write),
        { now: options.now(), events: options.events, dryRun: options.dryRun, ...planned },
      )
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome === 'no partner' || outcome === 'too many words')
          reject(entries[index]!.item, [unwritten[outcome]])
        else counts[outcome]++
      }
    }
    report.progress(counts)
  }

  /** Prepares the batch while the previous one is written. */
  async function flush(): Promise<void> {
    const prepared = prepare(batch)
    batch = []
    batchBytes = 0
    const [entries] = await Promise.all([prepared, writing])
    writing = write(entries)
    // Awaited at the next flush; marked as handled so that a failure in the meantime does not end the
    // process.
    writing.catch(() => {})
  }

  function tellUnknown(value: object, line: number): void {
    for (const field of unknownFields(value)) {
      // A hostile file may have any number of them; a few hundred are enough to report.
      if (named.has(field) || named.size >= 200) continue
      named.add(field)
      report.unknown(field, line)
    }
  }

  return withOwnConnection(db, async (connection) => {
    const repeats = await findRepeats(connection, source)
    try {
      for await (const item of source.items()) {
        const repeat = await repeats.at(item.line)
        if (repeat !== null) {
          report.superseded(item.line, repeat.id, repeat.last)
          continue
        }
        batchBytes += item.size
        if (batch.push(item) >= batchSize || batchBytes >= batchMaxBytes) await flush()
      }
      await flush()
      await writing
      return counts
    } finally {
      await writing.catch(() => {})
    }
  })
}

interface Entry {
  item: SourceItem<unknown>
  write: DealWrite
}

function readSource<Raw>(
  source: RecordSource<Raw>,
  raw: Raw,
): { record: DealRecord; value: object } | { faults: Fault[]; value: object } | { faults: Fault[] } {
  const parsed = source.valueOf(raw)
  if ('faults' in parsed) return parsed
  const value =
    typeof parsed.value === 'object' && parsed.value !== null && !Array.isArray(parsed.value)
      ? parsed.value
      : {}
  return { ...readRecord(parsed.value), value }
}

/** Why a valid record was not written. */
const unwritten: Record<Exclude<Outcome, keyof ImportCounts>, Fault> = {
  'no partner': {
    field: 'partner',
    reason: 'is required for a new deal: name it in the record or for the whole import',
  },
  'too many words': {
    field: null,
    reason: 'has more words to search by than fit; shorten its names, address, utility or phone number',
  },
}

function ownerOf(
  { partner }: DealRecord,
  { partner: all, partnerIds }: ImportOptions,
): { partnerId: number | null | undefined } | { fault: Fault } {
  if (all !== undefined) {
    if (partner === undefined || partner === all.slug) return { partnerId: all.id }
    return {
      fault: { field: 'partner', reason: `must be ${all.slug}, the partner that the whole import is for` },
    }
  }
  if (partner === undefined || partner === null) return { partnerId: partner }
  const partnerId = partnerIds.get(partner)
  return partnerId === undefined
    ? { fault: { field: 'partner', reason: 'is not the slug of a partner' } }
    : { partnerId }
}

/** Records that are skipped because their id recurs; ask in the order of their lines. */
interface Repeats {
  at(line: number): Promise<{ id: bigint; last: number } | null>
}

const repeatsAtOnce = 1000

/** Reads the file once to find recurring ids, which the database finds rather than memory. */
async function findRepeats<Raw>(connection: Sql, source: RecordSource<Raw>): Promise<Repeats> {
  await connection`create temporary table record_ids (line bigint, id bigint)`
  await keepIds(connection, source)
  // A cursor held beyond its statement, so that no snapshot keeps the database from vacuuming during the
  // import.
  await connection`
    declare repeats no scroll cursor with hold for
    select line, id, last from (select line, id, max(line) over (partition by id) as last from record_ids) record
    where line < last order by line`
  let page: { line: string; id: string; last: string }[] = []
  let index = 0
  let ended = false
  return {
    async at(line) {
      if (index === page.length && !ended) {
        page = await connection`fetch ${connection.unsafe(String(repeatsAtOnce))} from repeats`
        ended = page.length < repeatsAtOnce
        index = 0
      }
      const repeat = page[index]
      if (repeat === undefined || Number(repeat.line) !== line) return null
      index++
      return { id: BigInt(repeat.id), last: Number(repeat.last) }
    },
  }
}

// This many lines take a few milliseconds, and may come from one chunk of the file without a pause.
const turnLines = 1000

async function keepIds<Raw>(connection: Sql, source: RecordSource<Raw>): Promise<void> {
  let rows: { line: number; id: string }[] = []
  let lines = 0
  for await (const { line, raw } of source.items()) {
    // Lines without an id need not wait.
    if (++lines % turnLines === 0) await setImmediate()
    const id = source.idOf(raw)
    if (id !== null && rows.push({ line, id: String(id) }) === 2000) {
      await connection`insert into record_ids ${connection(rows)}`
      rows = []
    }
  }
  if (rows.length > 0) await connection`insert into record_ids ${connection(rows)}`
}

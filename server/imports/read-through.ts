import type { Database } from '#db/client.ts'
import { type Partner, listPartners } from '../accounts/store.ts'
import type { DealChange } from '../deals/change.ts'
import { eventsOf } from '../deals/event-store.ts'
import { dealsWithFiles } from '../files/store.ts'
import type { Encoding, FileSource, Mapping } from '../readers/file-source.ts'
import { mapTable, headerKey } from '../readers/mapping.ts'
import { openSource } from '../readers/open-source.ts'
import { type ImportCounts, type ImportReport, importDeals } from '../records/import-deals.ts'
import {
  type Fault,
  type RecordSource,
  UnreadableFileError,
  UnreadableHeader,
} from '../records/record-source.ts'
import { FieldTally } from '../records/tally.ts'
import { throughFailover } from '../records/through-failover.ts'
import { formerSource, removeCreated } from '../records/undo-store.ts'
import type { StageMatcher } from '../stages/spelling.ts'
import { deleteUnused, findUnused, makeStageMatcher } from '../stages/store.ts'
import { ellipsize, textMax } from '../values/short-text.ts'
import { dayOf, utc } from '../values/zone.ts'
import { tableFindings, WarningTally } from './findings.ts'
import type { RunFiles, RejectedLines } from './import-storage.ts'
import { type Sample, chosenStages, hasChoice, madeStages, readSample, sampleOf } from './import.ts'
import { deleteLeaving, saveLeaving, readLeaving } from './leaving-store.ts'
import { sampleMax } from './policy.ts'
import { readMapping } from './related-store.ts'
import { type LeasedImport, findImport } from './store.ts'

/** Thrown to end a run early, because the process is stopping or has lost the import to another process. */
export class ImportStoppedError extends Error {}

/** Thrown if the file cannot be imported. The message is shown to the operator. */
export class ImportFileError extends Error {}

/** A check or import in progress. */
export interface Run {
  db: Database
  files: RunFiles
  leased: LeasedImport
  isStopping: () => boolean
}

/**
 * Reads all records of an import, and writes or checks their deals. Returns the results, and updates the
 * counts of the run as it reads.
 * @throws ImportFileError, ImportStoppedError, UnreadableFileError
 */
export async function readThrough(
  run: Run,
  counts: Sample['counts'],
): Promise<{ sample: Sample; mapping: Mapping | null }> {
  const { db, files, leased, isStopping } = run
  const partners = await listPartners(db)
  const slugs = new Map<number, string>(partners.map(({ id, slug }) => [id, slug]))
  const slugOf = (id: number) => slugs.get(id) ?? String(id)
  const nameOf = (id: number) => partners.find((each) => each.id === id)?.name ?? String(id)
  const sample = emptySample(counts)
  const tally = new FieldTally()
  const warnings = leased.undoes === null ? new WarningTally(new Date()) : null
  const opened = await sourceOf(run)
  if (opened.format !== undefined) sample.format = opened.format
  if (opened.sheets !== undefined) sample.sheets = opened.sheets
  if (opened.encoding !== undefined) sample.encoding = opened.encoding
  await recordHeader(opened, sample)
  const stages = leased.undoes === null ? await makeStageMatcher(db, chosenStages(leased)) : undefined
  const lines = await files.openRejected()
  const isCheck = leased.state === 'checking'
  if (isCheck) await deleteLeaving(db, leased.id)
  const leaving = saveLeaving(db, leased.id, isStopping)
  const moves = new StageMoves()
  const report = reportTo(sample, { fields: tally, warnings, moves }, lines, leaving, {
    slugOf,
    nameOf,
    isUndo: leased.undoes !== null,
  })
  let mapping: Mapping | null = null
  try {
    const mapped = await mapColumns(run, opened, sample)
    mapping = mapped.mapping
    if (sample.columnProblem === undefined)
      await importAll(run, mapped.source, [lines, leaving], partners, stages, report)
    await leaving.end()
    if (leased.undoes !== null) {
      await removeAll(run, leased.undoes, sample, lines, { fields: tally, moves })
      await takeBackStages(run, leased.undoes, sample, moves)
    }
  } catch (error) {
    if (!isCheck || !(error instanceof UnreadableFileError)) throw error
    // The operator can choose another sheet or header row.
    const problem = `cannot be read: ${ellipsize(error.message, 500)}.`
    if (hasChoice(opened.sheets)) sample.sheetProblem = `The sheet ${problem}`
    else if (error instanceof UnreadableHeader && (sample.header?.choices.length ?? 0) > 1)
      sample.columnProblem = `The table ${problem}`
    else throw error
  } finally {
    await lines.close()
    if (!isStopping()) await files.keepRejected()
  }
  sample.fields = tally.fields()
  sample.events = tally.events(slugOf)
  recordFindings(sample, stages, warnings)
  return { sample, mapping }
}

function recordFindings(
  sample: Sample,
  stages: StageMatcher | undefined,
  warnings: WarningTally | null,
): void {
  const [added, odd] = [stages?.added() ?? [], warnings?.all() ?? []]
  if (added.length > 0) sample.stages = added
  if (odd.length > 0) sample.warnings = odd
}

const emptySample = (counts: Sample['counts']): Sample => ({
  counts,
  changes: [],
  rejected: [],
  unreadable: [],
  unknown: [],
  repeated: [],
  repeatedCount: 0,
  fields: [],
  events: [],
})

async function sourceOf({ db, files, leased, isStopping }: Run): Promise<FileSource> {
  if (leased.undoes !== null) return formerSource(db, leased.undoes, isStopping) as FileSource
  const { fileName: name, sheet, headerRow } = leased
  const encoding = leased.encoding as Encoding | null
  return openSource(files.contentPath, files.rowsPath, { name, sheet, headerRow, encoding })
}

/** Records the header row and the number of hidden rows below it. */
async function recordHeader(source: FileSource, sample: Sample): Promise<void> {
  const header = await source.readHeader?.()
  if (header == null) return
  sample.header = { row: header.row, choices: header.choices }
  if (header.hiddenRows > 0) sample.hiddenRows = header.hiddenRows
}

/**
 * Maps the columns as chosen, as in the last file with these titles, or as suggested, and records the
 * results. The mapping excludes fields derived from dates.
 */
async function mapColumns(
  { db, leased }: Run,
  source: FileSource,
  sample: Sample,
): Promise<{ source: RecordSource; mapping: Mapping | null }> {
  const mapped = await mapTable(source, {
    chosen: async (columns) =>
      leased.mapping === null ? readMapping(db, headerKey(columns)) : (JSON.parse(leased.mapping) as Mapping),
    isConfirmed: true,
    choice: leased,
    // Uses the day of the upload, so that the import has the same result as its check.
    today: dayOf(leased.createdAt, utc),
  })
  if (mapped === null) return { source, mapping: null }
  Object.assign(sample, tableFindings(mapped))
  return { source: mapped.source, mapping: mapped.mapping }
}

async function importAll(
  { db, leased, isStopping }: Run,
  source: RecordSource,
  pending: PendingWrites[],
  partners: Partner[],
  stages: StageMatcher | undefined,
  report: ImportReport,
): Promise<void> {
  // An undo moves each deal back to its previous partner.
  const isCheck = leased.state === 'checking'
  const partner = leased.undoes === null ? partners.find(({ id }) => id === leased.partnerId) : undefined
  await importDeals(
    db,
    interruptible(source, pending, isStopping),
    {
      ...(partner && { partner }),
      partners,
      ...(leased.movesDeals && {
        moves: isCheck ? 'all' : (ids: bigint[]) => readLeaving(db, leased.id, ids),
      }),
      ...(stages && { stages }),
      clearsEmpty: leased.clearsEmpty,
      dryRun: isCheck,
      events: leased.events,
      undoableAs: leased.id,
      isStopping,
    },
    report,
  )
}

/** Removes the deals that the undone import created. */
async function removeAll(
  { db, leased, isStopping }: Run,
  importId: number,
  sample: Sample,
  lines: RejectedLines,
  { fields: tally, moves }: { fields: FieldTally; moves: StageMoves },
): Promise<void> {
  let line = 0
  const options = {
    importId,
    undoneBy: leased.id,
    dryRun: leased.state === 'checking',
    isStopping,
    withFiles: (ids: bigint[]) => dealsWithFiles(db, ids),
  }
  await removeCreated(db, options, {
    removed({ id, name, stage, partnerId }) {
      sample.counts.removed++
      if (partnerId !== null) tally.addEvent(partnerId, 'deal.removed')
      moves.add(stage, -1)
      if (sample.changes.length < sampleMax)
        sample.changes.push({
          line: ++line,
          id: String(id),
          name: name === '' ? null : ellipsize(name, 200),
          isNew: false,
          isRemoved: true,
          partner: null,
          fields: [],
          fieldCount: 0,
        })
    },
    left({ id, name }, reason) {
      sample.counts.rejected++
      lines.add(++line, [{ field: null, reason }], { titles: ['id', 'dealname'], cells: [String(id), name] })
      if (sample.rejected.length < sampleMax)
        sample.rejected.push({ line, field: null, reason, deal: String(id) })
    },
    progress: () => lines.settle(),
  })
}

/** Counts the deals that each stage gains or loses. */
class StageMoves {
  readonly byStage = new Map<string, number>()

  add(stage: string | null, count: 1 | -1): void {
    if (stage !== null) this.byStage.set(stage, (this.byStage.get(stage) ?? 0) + count)
  }

  addChange({ changes }: DealChange): void {
    const change = changes.find(({ field }) => field === 'stage')
    if (change === undefined) return
    this.add(JSON.parse(change.from) as string | null, -1)
    this.add(JSON.parse(change.to) as string | null, 1)
  }
}

/**
 * Returns the stages that an import added. For an undo of an undo, returns the stages that it added again.
 */
async function readMadeStages(db: Database, importId: number): Promise<string[]> {
  const found = await findImport(db, importId)
  if (found === undefined || found.undoes === null) return found === undefined ? [] : madeStages(found)
  const sample = (await findImport(db, found.undoes))?.sample ?? null
  return sample === null ? [] : (readSample(sample).removedStages ?? [])
}

/** Removes the stages that the undone import added if no deal is in them. A check only finds these stages. */
async function takeBackStages(
  { db, leased, isStopping }: Run,
  importId: number,
  sample: Sample,
  { byStage }: StageMoves,
): Promise<void> {
  const made = await readMadeStages(db, importId)
  if (made.length === 0 || isStopping()) return
  const unused =
    leased.state === 'checking'
      ? await findUnused(db, made, byStage)
      : await throughFailover(() => deleteUnused(db, made), isStopping)
  if (unused.length > 0) sample.removedStages = unused
}

type PendingWrites = Pick<RejectedLines, 'settle'>

/** Wraps the source so that reading stops with the run and waits for pending writes. */
function interruptible<Raw>(
  source: RecordSource<Raw>,
  pending: PendingWrites[],
  isStopping: () => boolean,
): RecordSource<Raw> {
  return {
    ...source,
    async *items() {
      for await (const item of source.items()) {
        if (isStopping()) throw new ImportStoppedError()
        for (const writes of pending) await writes.settle()
        yield item
      }
    },
  }
}

/** Adds the unreadable cells of a record to the results. */
function addUnreadable({ unreadable }: Sample, line: number, faults: Fault[]): void {
  for (const { field, title, text = '', reason } of faults.slice(0, sampleMax - unreadable.length))
    unreadable.push({
      line,
      field: field!,
      ...(title !== undefined && { title: ellipsize(title, 100) }),
      text: ellipsize(text.toWellFormed(), textMax),
      reason,
    })
}

/** Returns a report that collects the counts and the first results of each kind. */
function reportTo(
  sample: Sample,
  /** An undo adds no new values, so nothing is counted for it. */
  { fields, warnings, moves }: { fields: FieldTally; warnings: WarningTally | null; moves: StageMoves },
  lines: RejectedLines,
  leaving: ReturnType<typeof saveLeaving>,
  { slugOf, nameOf, isUndo }: Record<'slugOf' | 'nameOf', (id: number) => string> & { isUndo: boolean },
): ImportReport {
  return {
    rejected() {},
    rejectedRow(line, faults, row) {
      const { titles, cells } = row()
      lines.add(line, faults, { titles, cells })
      for (const { field, title, reason } of faults) {
        if (sample.rejected.length === sampleMax) break
        sample.rejected.push({
          line,
          field: field === null ? null : ellipsize(field, 100),
          ...(title !== undefined && { title: ellipsize(title, 100) }),
          reason,
          ...(isUndo && { deal: cells[0]! }),
        })
      }
    },
    unreadable(line, faults, row) {
      lines.add(line, faults, row(), { isImported: true })
      addUnreadable(sample, line, faults)
    },
    unknown: (field, line) =>
      void (sample.unknown.length < sampleMax && sample.unknown.push({ field: ellipsize(field, 100), line })),
    superseded(line, id, last) {
      sample.repeatedCount++
      if (sample.repeated.length < sampleMax) sample.repeated.push({ line, id: String(id), last })
    },
    changed(line: number, change: DealChange, cleared) {
      fields.addChange(change, slugOf, cleared)
      warnings?.add(line, change)
      moves.addChange(change)
      for (const { partnerId, type } of eventsOf(change)) fields.addEvent(partnerId, type)
      if (sample.changes.length < sampleMax) sample.changes.push(sampleOf(line, change, slugOf))
    },
    leaving(line, { id, partnerId, name }) {
      leaving.add({ id, partnerId })
      const { deals, partners } = (sample.leaving ??= { deals: [], partners: [] })
      const partner = slugOf(partnerId)
      let owner = partners.find(({ slug }) => slug === partner)
      if (owner === undefined) partners.push((owner = { slug: partner, name: nameOf(partnerId), count: 0 }))
      owner.count++
      if (deals.length < sampleMax)
        deals.push({ line, id: String(id), name: name && ellipsize(name, textMax), partner })
    },
    progress: (counts: ImportCounts) => void Object.assign(sample.counts, counts),
  }
}

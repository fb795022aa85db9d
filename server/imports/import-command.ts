import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Partner, listPartners } from '../accounts/store.ts'
import { type ImportCounts, type ImportReport, importDeals } from '../deals/import/import-deals.ts'
import { headerKey } from '../deals/import/mapping.ts'
import { openSource } from '../deals/import/open-source.ts'
import { type Mapping, type RecordSource, UnreadableFile } from '../deals/import/record-source.ts'
import { throughFailover } from '../deals/import/through-failover.ts'
import { ellipsize } from '../deals/shorten.ts'
import { asCommand } from '../runtime/command.ts'
import type { Runner } from '../runtime/runner.ts'
import type { Services } from '../runtime/services.ts'
import { startImport } from './actions.ts'
import { checksumOf } from './files/read-checksum.ts'
import { beginHeartbeat } from './heartbeat.ts'
import { cleanFileName, hasChoice } from './import.ts'
import { readMapping } from './mapping-store.ts'
import { findSame } from './related-store.ts'
import { type ClaimedImport, type RunOutcome, beginImport, endClaim } from './store.ts'

/** The operator's options of an import. */
interface ImportOrder {
  partner: Partner | undefined
  dryRun: boolean
  events: boolean
  json: boolean
  /** The sheet of a workbook; the first one if it is not named. */
  sheet: string | undefined
  /** Whether columns are read as when a file with the same ones was last imported. */
  mapping: boolean
}

/**
 * Imports a file, or standard input for `-`, and prints the outcome. Returns how many records were rejected.
 */
export async function importFile(
  runner: Runner,
  services: Pick<Services, 'db' | 'traces'>,
  file: string,
  order: ImportOrder,
): Promise<number> {
  const place = await makePlace(runner)
  try {
    // A file is read twice, and standard input cannot be.
    if (file === '-') await pipeline(runner.input, createWriteStream(place.inputPath, { mode: 0o600 }))
    const path = file === '-' ? place.inputPath : file
    const opened = await openSource(path, place.rowsPath, { sheet: order.sheet ?? null })
    if (order.sheet === undefined) tellSheets(runner, opened)
    const { source, mapping } = order.mapping
      ? await mapColumns(runner, services, opened)
      : { source: opened, mapping: null }
    const report = order.json ? jsonReport(runner) : textReport(runner)
    const checksum = await checksumOf(path)
    await tellSame(runner, services, checksum, order)
    if (order.dryRun) {
      const counts = await importRecords(services, source, order, report)
      report.end(counts)
      return counts.rejected
    }
    const claimed = await startImport(asCommand(services), async (tx) => ({
      ...(await beginImport(tx, {
        fileName: file === '-' ? 'standard input' : cleanFileName(basename(file)),
        sizeBytes: (await stat(path)).size,
        partnerId: order.partner?.id ?? null,
        events: order.events,
        sheet: order.sheet ?? null,
        mapping: mapping && JSON.stringify(mapping),
        checksum,
      })),
      counts: null,
    }))
    const counts = await importClaimed(services, claimed, (keep) =>
      importRecords(services, source, order, alsoTo(report, keep), claimed.id),
    )
    report.end(counts)
    return counts.rejected
  } finally {
    await place.remove()
  }
}

/** Tells which sheet of several is read when none was named. */
function tellSheets({ writeError }: Runner, { sheets }: RecordSource): void {
  if (!hasChoice(sheets)) return
  const others = sheets!.all.filter((name) => name !== sheets!.chosen).map((name) => JSON.stringify(name))
  writeError(
    `sheet ${JSON.stringify(sheets!.chosen)} is read; name another with --sheet: ${others.join(', ')}\n`,
  )
}

/** Returns the source that reads columns as those of a file with the same titles were read last, and tells that. */
async function mapColumns(
  { writeError }: Runner,
  { db }: Pick<Services, 'db'>,
  source: RecordSource,
): Promise<{ source: RecordSource; mapping: Mapping | null }> {
  const titles = ((await source.readColumns?.()) ?? []).map(({ title }) => title)
  const mapping = titles.length === 0 ? null : await readMapping(db, headerKey(titles))
  if (mapping === null) return { source, mapping }
  const changed = titles.filter((title) => Object.hasOwn(mapping, title) && mapping[title] !== title)
  if (changed.length > 0) {
    const shown = changed.map((title) => `${JSON.stringify(title)} as ${mapping[title] || 'nothing'}`)
    writeError(`columns are read as in the last import of these columns: ${shown.join(', ')}\n`)
  }
  return { source: source.mapped!(mapping), mapping }
}

/** Tells when the same file was imported before. */
async function tellSame(
  { writeError }: Runner,
  { db }: Pick<Services, 'db'>,
  checksum: string,
  { partner }: ImportOrder,
): Promise<void> {
  const same = await findSame(db, checksum, { partnerId: partner?.id ?? null, but: null })
  if (same !== undefined)
    writeError(
      `the same file was imported on ${same.finishedAt!.toISOString()} by ${same.who ?? 'a command'}\n`,
    )
}

async function importRecords(
  { db, traces }: Pick<Services, 'db' | 'traces'>,
  source: RecordSource,
  { partner, dryRun, events }: ImportOrder,
  report: ImportReport,
  undoableAs?: number,
): Promise<ImportCounts> {
  const options = {
    ...(partner && { partner }),
    partnerIds: new Map((await listPartners(db)).map(({ slug, id }) => [slug, id])),
    dryRun,
    events,
    now: () => new Date(),
    ...(undoableAs !== undefined && { undoableAs }),
  }
  const run = (told: ImportReport) => importDeals(db, source, options, told)
  return traces?.import(report, run) ?? run(report)
}

/** Returns the report with another one of the progress. */
const alsoTo = (report: ImportReport, keep: (counts: ImportCounts) => void): ImportReport => ({
  ...report,
  progress(counts) {
    keep(counts)
    report.progress(counts)
  },
})

/** Does an import that is claimed and records its outcome; `run` keeps its counts. */
async function importClaimed(
  { db }: Pick<Services, 'db'>,
  claimed: ClaimedImport,
  run: (keep: (counts: ImportCounts) => void) => Promise<ImportCounts>,
): Promise<ImportCounts> {
  const heartbeat = beginHeartbeat(db, claimed)
  const end = async (outcome: RunOutcome) => {
    await heartbeat.end()
    await throughFailover(
      () => endClaim(db, claimed, { ...heartbeat.counts, ...outcome, finishedAt: new Date() }),
      () => false,
    )
  }
  try {
    const counts = await run((counts) => void Object.assign(heartbeat.counts, counts))
    await end({ state: 'done' })
    return counts
  } catch (error) {
    const reason = error instanceof UnreadableFile ? ellipsize(error.message, 500) : 'it failed'
    await end({ state: 'failed', problem: `The command ended early: ${reason}.` }).catch(() => {})
    throw error
  }
}

/** Makes a directory for what is read only once. */
async function makePlace({ beforeSignal }: Runner) {
  const directory = await mkdtemp(join(tmpdir(), 'partner-deals-import-'))
  const empty = () => rm(directory, { recursive: true, force: true })
  // Homeowners' data must not stay behind, however this ends.
  const forget = beforeSignal(empty)
  return {
    inputPath: join(directory, 'input'),
    rowsPath: join(directory, 'rows'),
    remove: () => empty().finally(forget),
  }
}

type EndingReport = ImportReport & { end(counts: ImportCounts): void }

const warningsTo = ({ writeError }: Runner) => ({
  unknown: (field: string, line: number) =>
    void writeError(`line ${line}: ${JSON.stringify(field)} is not a field of a deal; ignored\n`),
  superseded: (line: number, id: bigint, last: number) =>
    void writeError(`line ${line}: deal ${id} recurs on line ${last}; the last one wins\n`),
})

/** Writes errors as they occur, so that a file full of them takes no memory. */
function jsonReport(runner: Runner): EndingReport {
  let errors = 0
  return {
    ...warningsTo(runner),
    rejected: (line, { field, reason }) =>
      void runner.write(`${errors++ === 0 ? '{"errors":[' : ','}${JSON.stringify({ line, field, reason })}`),
    progress: progressTo(runner),
    end: (counts) =>
      void runner.write(`${errors === 0 ? '{"errors":[' : ''}],${JSON.stringify(counts).slice(1)}\n`),
  }
}

function textReport(runner: Runner): EndingReport {
  return {
    ...warningsTo(runner),
    rejected: (line, { field, reason }) =>
      void runner.writeError(`line ${line}: ${field === null ? 'the record' : field} ${reason}\n`),
    progress: progressTo(runner),
    end({ created, updated, unchanged, rejected }) {
      runner.write(`created ${created}, updated ${updated}, unchanged ${unchanged}, rejected ${rejected}\n`)
    },
  }
}

const progressTo =
  ({ isTerminal, writeError }: Runner) =>
  (counts: ImportCounts): void => {
    if (!isTerminal) return
    const done = Object.values(counts).reduce((sum: number, count: number) => sum + count, 0)
    writeError(`\r${done.toLocaleString('en')} records\r`)
  }

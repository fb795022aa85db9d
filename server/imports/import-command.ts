import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { note } from '../access/audited.ts'
import { type Partner, listPartners } from '../accounts/store.ts'
import type { Encoding, FileSource, Mapping } from '../readers/file-source.ts'
import { type MappedTable, mapTable, headerKey } from '../readers/mapping.ts'
import { openSource } from '../readers/open-source.ts'
import { type ImportCounts, type ImportReport, countRecords, importDeals } from '../records/import-deals.ts'
import { sentenceOf, type RecordSource, UnreadableFileError } from '../records/record-source.ts'
import { throughFailover } from '../records/through-failover.ts'
import { asCommand, type Runner } from '../runtime/command.ts'
import type { Services } from '../runtime/services.ts'
import { type NewStage, type StageMatcher, likeliest } from '../stages/spelling.ts'
import { makeStageMatcher } from '../stages/store.ts'
import type { DecimalSign } from '../values/number.ts'
import { ellipsize } from '../values/short-text.ts'
import { dayOf, utc } from '../values/zone.ts'
import { startImport } from './actions.ts'
import { checksumOf } from './disk-storage.ts'
import { encodingText, findingTexts, WarningTally, warningText } from './findings.ts'
import { cleanFileName, countLeaving, hasChoice, movedSubject } from './import.ts'
import { readMapping, findSame } from './related-store.ts'
import { beginHeartbeat } from './run-import.ts'
import { type LeasedImport, type RunOutcome, beginImport, endImportLease } from './store.ts'

/** The command-line options of an import. */
export interface ImportOrder {
  partner: Partner | undefined
  dryRun?: boolean
  events: boolean
  /** True to move deals of other partners to the partner. */
  moveDeals?: boolean
  /** True if empty cells clear their fields. */
  clearEmpty?: boolean
  json?: boolean
  /** The sheet of a workbook. By default, the sheet that most looks like a table of deals. */
  sheet?: string
  headerRow: number | undefined
  /** True if the day comes first in dates with slashes. */
  dayFirst?: boolean
  encoding: Encoding | undefined
  /** The decimal sign of ambiguous numbers. */
  decimal: DecimalSign | undefined
  /** True to add stages that are similar to existing ones. */
  newStages?: boolean
  /** True to map columns as in the last file with the same titles. */
  mapping: boolean
}

/**
 * Imports a file, or standard input for `-`, and prints the result. Returns the number of rejected records.
 */
export async function importFile(
  runner: Runner,
  services: Pick<Services, 'db' | 'traces'>,
  file: string,
  order: ImportOrder,
): Promise<number> {
  const workspace = await makeWorkspace(runner)
  try {
    // Standard input is copied to a file, because it must be read twice.
    if (file === '-') await pipeline(runner.input, createWriteStream(workspace.inputPath, { mode: 0o600 }))
    const path = file === '-' ? workspace.inputPath : file
    const opened = await openSource(path, workspace.rowsPath, {
      sheet: order.sheet ?? null,
      headerRow: order.headerRow ?? null,
      encoding: order.encoding ?? null,
    })
    if (order.sheet === undefined) reportSheets(runner, opened)
    if (order.encoding === undefined && opened.encoding !== undefined)
      runner.writeError(`${encodingText(opened.encoding)}\n`)
    await reportHeader(runner, opened, order)
    const { source, mapping, open } = await mapColumns(runner, services, opened, order)
    const report = order.json ? jsonReport(runner) : textReport(runner)
    const findings = await collectFindings(services, report)
    const { moved } = findings
    const checksum = await checksumOf(path)
    await reportSameFile(runner, services, checksum, order)
    const stages = await makeStageMatcher(services.db, {}, !order.newStages)
    if (order.dryRun) {
      const counts = await importRecords(services, source, order, stages, report)
      report.end(counts, findings, reportedStages(stages, order))
      return counts.rejected
    }
    const leased = await startImport(asCommand(services), async (tx) => ({
      ...(await beginImport(tx, {
        fileName: file === '-' ? 'standard input' : cleanFileName(basename(file)),
        sizeBytes: (await stat(path)).size,
        partnerId: order.partner?.id ?? null,
        events: order.events,
        movesDeals: order.moveDeals === true,
        clearsEmpty: order.clearEmpty || null,
        sheet: order.sheet ?? null,
        headerRow: order.headerRow ?? null,
        dayFirst: order.dayFirst ?? open?.dates?.dayFirst ?? null,
        encoding: order.encoding ?? opened.encoding?.chosen ?? null,
        decimal: order.decimal ?? open?.numbers?.decimal ?? null,
        mapping: mapping && JSON.stringify(mapping),
        checksum,
      })),
      counts: null,
    }))
    const counts = await runLeasedImport(services, leased, stages, (keep) =>
      importRecords(services, source, order, stages, alsoTo(report, keep), leased.id).finally(() =>
        auditMoved(services, leased.fileName, order, moved),
      ),
    )
    report.end(counts, findings, reportedStages(stages, order))
    return counts.rejected
  } finally {
    await workspace.remove()
  }
}

/** Reports the effects of an import as it runs, and returns them. */
async function collectFindings({ db }: Pick<Services, 'db'>, report: ImportReport): Promise<ImportFindings> {
  const slugs = new Map<number, string>((await listPartners(db)).map(({ slug, id }) => [id, slug]))
  const findings = { moved: {}, cleared: {}, warnings: new WarningTally(new Date()) }
  report.moved = (partnerId) => countUp(findings.moved, slugs.get(partnerId) ?? String(partnerId))
  report.changed = (line, change, cleared) => {
    for (const field of cleared) countUp(findings.cleared, field)
    findings.warnings.add(line, change)
  }
  return findings
}

/** Writes the audit entry for moved deals, if any. */
async function auditMoved(
  services: Pick<Services, 'db'>,
  fileName: string,
  { partner, moveDeals }: ImportOrder,
  moved: Record<string, number>,
): Promise<void> {
  const partners = Object.entries(moved).map(([slug, count]) => ({ slug, count }))
  if (!moveDeals || partner === undefined || countLeaving({ partners }) === 0) return
  const subject = movedSubject(fileName, partner.slug, { partners })
  await throughFailover(
    () => note(asCommand(services), { action: 'import.moved', subject, partnerId: null }),
    () => false,
  )
}

/** Reports the chosen sheet if there are several and the operator did not choose one. */
function reportSheets({ writeError }: Runner, { sheets }: FileSource): void {
  if (!hasChoice(sheets)) return
  const { chosen, all, alike = [] } = sheets!
  const listed = (names: string[]) => names.map((name) => JSON.stringify(name)).join(', ')
  const others = all.filter((name) => name !== chosen)
  writeError(
    alike.length === 0
      ? `sheet ${listed([chosen])} is read; name another with --sheet: ${listed(others)}\n`
      : `only sheet ${listed([chosen])} is read; import those like it one by one with --sheet: ${listed(alike)}\n`,
  )
}

/** Reports the header row if it is not the first row, and the number of hidden rows. */
async function reportHeader(
  { writeError }: Runner,
  source: FileSource,
  { headerRow }: ImportOrder,
): Promise<void> {
  const header = await source.readHeader?.()
  if (header == null) return
  const { row, choices, hiddenRows } = header
  if (headerRow === undefined && row !== choices[0]?.row)
    writeError(`the titles of the columns are in row ${row}; name another with --header-row\n`)
  if (hiddenRows > 0) writeError(`hidden rows are read, too: ${hiddenRows}\n`)
}

/**
 * Maps the columns of the source as in the last file with the same titles, or as suggested. Reports
 * assumptions.
 */
async function mapColumns(
  { writeError }: Runner,
  { db }: Pick<Services, 'db'>,
  source: FileSource,
  order: Pick<ImportOrder, 'mapping' | 'dayFirst' | 'decimal'>,
): Promise<{ source: RecordSource; mapping: Mapping | null; open: MappedTable['open'] | null }> {
  const mapped = await mapTable(source, {
    chosen: async (columns) => (order.mapping ? readMapping(db, headerKey(columns)) : {}),
    isConfirmed: false,
    choice: { dayFirst: order.dayFirst ?? null, decimal: order.decimal ?? null },
    today: dayOf(new Date(), utc),
  })
  if (mapped === null) return { source, mapping: null, open: null }
  if (mapped.problem !== null) throw new UnreadableFileError(mapped.problem)
  for (const line of assumptions(mapped, order)) writeError(`${line}\n`)
  const { mapping, open } = mapped
  return { source: mapped.source, mapping: Object.keys(mapping).length === 0 ? null : mapping, open }
}

/** Returns the assumptions about the columns and values of a table, one per line. */
function assumptions(mapped: MappedTable, order: Pick<ImportOrder, 'dayFirst' | 'decimal'>): string[] {
  const { table, mapping, fields, undecided, isChosen, open } = mapped
  const changed = table.columns.flatMap(({ title, hidden: isHidden }, at) =>
    Object.hasOwn(mapping, title) && mapping[title] !== title && !(isHidden && fields[at] === '')
      ? [`${JSON.stringify(title)} as ${fields[at] || 'nothing'}`]
      : [],
  )
  const how = isChosen ? 'as in the last import of these columns' : 'by their titles and values'
  const { dates } = open
  const numbers = order.decimal === undefined ? open.numbers : null
  return [
    ...(dates === null || order.dayFirst !== undefined
      ? []
      : [
          `dates such as ${JSON.stringify(dates.text)} are read with the ${dates.dayFirst ? 'day' : 'month'} first; ` +
            `choose with --day-first or --no-day-first`,
        ]),
    ...undecided.map(
      ({ title, fields: mayBe }) =>
        `column ${JSON.stringify(title)} is not read: name it ${mayBe.filter(Boolean).join(' or ')} if it is that`,
    ),
    ...(changed.length === 0 ? [] : [`columns are read ${how}: ${changed.join(', ')}`]),
    ...findingTexts({ ...mapped, open: { dates, numbers } }),
  ]
}

async function reportSameFile(
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
  { partner, dryRun = false, events, moveDeals, clearEmpty }: ImportOrder,
  stages: StageMatcher,
  report: ImportReport,
  undoableAs?: number,
): Promise<ImportCounts> {
  const options = {
    ...(partner && { partner }),
    partners: await listPartners(db),
    ...(moveDeals && { moves: 'all' as const }),
    clearsEmpty: clearEmpty || null,
    stages,
    dryRun,
    events,
    ...(undoableAs !== undefined && { undoableAs }),
  }
  const run = (reporter: ImportReport) => importDeals(db, source, options, reporter)
  return traces?.import(report, run) ?? run(report)
}

/** Returns the report with an additional progress callback. */
const alsoTo = (report: ImportReport, keep: (counts: ImportCounts) => void): ImportReport => ({
  ...report,
  progress(counts) {
    keep(counts)
    report.progress(counts)
  },
})

/** Runs a leased import and records its outcome. `run` updates the counts. */
async function runLeasedImport(
  { db }: Pick<Services, 'db'>,
  leased: LeasedImport,
  stages: StageMatcher,
  run: (keep: (counts: ImportCounts) => void) => Promise<ImportCounts>,
): Promise<ImportCounts> {
  const heartbeat = beginHeartbeat(db, leased)
  const end = async (outcome: RunOutcome) => {
    await heartbeat.end()
    // Stages added by the import are recorded, so that an undo can remove them.
    const made = stages.added().filter((stage) => !stages.isOpen(stage))
    const ended = { ...outcome, finishedAt: new Date(), stages: JSON.stringify(meaningsOf(made)) }
    await throughFailover(
      () => endImportLease(db, leased, { ...heartbeat.counts, ...ended }),
      () => false,
    )
  }
  try {
    const counts = await run((counts) => void Object.assign(heartbeat.counts, counts))
    await end({ state: 'done' })
    return counts
  } catch (error) {
    const reason = error instanceof UnreadableFileError ? ellipsize(error.message, 500) : 'it failed'
    await end({ state: 'failed', problem: `The command ended early: ${reason}.` }).catch(() => {})
    throw error
  }
}

const meaningsOf = (made: readonly NewStage[]) => Object.fromEntries(made.map(({ name }) => [name, name]))

/** Creates a temporary directory for standard input and extracted rows. */
async function makeWorkspace({ beforeSignal }: Runner) {
  const directory = await mkdtemp(join(tmpdir(), 'partner-deals-import-'))
  const empty = () => rm(directory, { recursive: true, force: true })
  // Customer data must not remain on disk, even if a signal ends the process.
  const forget = beforeSignal(empty)
  return {
    inputPath: join(directory, 'input'),
    rowsPath: join(directory, 'rows'),
    remove: () => empty().finally(forget),
  }
}

/** Effects of an import: moved deals per partner and, in a dry run, cleared values per field and warnings. */
interface ImportFindings {
  moved: Record<string, number>
  cleared: Record<string, number>
  warnings: WarningTally
}

function countUp(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}

type EndingReport = ImportReport & {
  end(counts: ImportCounts, findings: ImportFindings, newStages: ReportedStage[]): void
}

const warningsTo = ({ writeError }: Runner) => ({
  unknown: (field: string, line: number) =>
    void writeError(`line ${line}: ${JSON.stringify(field)} is not a field of a deal; ignored\n`),
  superseded: (line: number, id: bigint, last: number) =>
    void writeError(`line ${line}: deal ${id} repeats on line ${last}; the last row is used\n`),
})

// Limits the memory used for a file full of unreadable cells.
const cellsMax = 1000

/** Writes errors as they occur, so that a file full of errors does not fill the memory. */
function jsonReport(runner: Runner): EndingReport {
  let errors = 0
  const unreadableCells: object[] = []
  return {
    ...warningsTo(runner),
    rejected: (line, { field, reason }) =>
      void runner.write(`${errors++ === 0 ? '{"errors":[' : ','}${JSON.stringify({ line, field, reason })}`),
    unreadable(line, faults) {
      for (const { field, title, text, reason } of faults)
        if (unreadableCells.length < cellsMax) unreadableCells.push({ line, field, title, text, reason })
    },
    progress: progressTo(runner),
    end(counts, { moved, cleared, warnings }, newStages) {
      const some = Object.entries({ moved, cleared, warnings: warnings.all(), unreadableCells }).filter(
        ([, of]) => Object.keys(of).length > 0,
      )
      const all = { ...counts, ...Object.fromEntries(some), ...(newStages.length > 0 && { newStages }) }
      runner.write(`${errors === 0 ? '{"errors":[' : ''}],${JSON.stringify(all).slice(1)}\n`)
    },
  }
}

function textReport(runner: Runner): EndingReport {
  return {
    ...warningsTo(runner),
    rejected: (line, fault) => void runner.writeError(`line ${line}: ${sentenceOf(fault)}\n`),
    unreadable(line, faults) {
      for (const fault of faults)
        runner.writeError(`line ${line}: ${sentenceOf(fault)} (only this cell is left out)\n`)
    },
    progress: progressTo(runner),
    end(counts, { moved, cleared, warnings }, newStages) {
      const { created, updated, unchanged, rejected, unreadable } = counts
      for (const warning of warnings.all()) runner.writeError(`warning: ${warningText(warning)}\n`)
      runner.write(`created ${created}, updated ${updated}, unchanged ${unchanged}, rejected ${rejected}\n`)
      if (unreadable > 0) runner.write(`cells that could not be read: ${unreadable}\n`)
      for (const [slug, count] of Object.entries(moved))
        runner.write(`of these, moved from ${slug}: ${count}\n`)
      for (const [field, count] of Object.entries(cleared)) runner.write(`would clear ${field}: ${count}\n`)
      for (const stage of newStages) runner.write(`${newStageText(stage)}\n`)
    },
  }
}

/** A new stage. `isOpen` if its rows are rejected because its meaning is unclear. */
type ReportedStage = Pick<NewStage, 'name' | 'deals' | 'likely'> & {
  isOpen: boolean
  /** True if another new stage in the file is probably the same. */
  isTwice: boolean
}

/**
 * Returns the new stages to report: all of them in a dry run, otherwise only unclear stages and probable
 * spelling variants.
 */
const reportedStages = (stages: StageMatcher, { dryRun, newStages }: ImportOrder): ReportedStage[] =>
  stages
    .added()
    .map(({ name, deals, likely, isUnsure }, at, added) => ({
      name,
      deals,
      likely,
      isOpen: stages.isOpen({ name, isUnsure }),
      isTwice: !newStages && likeliest(name, namesOf(added.slice(0, at))).isUnsure,
    }))
    .filter(({ isOpen, isTwice }) => dryRun || isOpen || isTwice)

const namesOf = (stages: NewStage[]) => stages.map(({ name }) => name)

function newStageText({ name, likely, isOpen, isTwice }: ReportedStage): string {
  const like = likely.length === 0 ? '' : `, like ${likely.map((each) => JSON.stringify(each)).join(', ')}`
  const text = `new stage ${JSON.stringify(name)}${like}`
  if (isOpen) return `${text}: correct it, or add it with --new-stages`
  return isTwice ? `${text}: correct it if it is the same` : text
}

const progressTo =
  ({ isTerminal, writeError }: Runner) =>
  (counts: ImportCounts): void => {
    if (!isTerminal) return
    writeError(`\r${countRecords(counts).toLocaleString('en')} records\r`)
  }

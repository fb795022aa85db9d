import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Partner, listPartners } from '../accounts/store.ts'
import { type ImportCounts, type ImportReport, importDeals } from '../deals/import/import-deals.ts'
import { openSource } from '../deals/import/open-source.ts'
import { asCommand } from '../runtime/command.ts'
import type { Runner } from '../runtime/runner.ts'
import type { Services } from '../runtime/services.ts'
import { startImport } from './actions.ts'

/** The operator's options of an import. */
interface ImportOrder {
  partner: Partner | undefined
  dryRun: boolean
  events: boolean
  json: boolean
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
  // A file is read twice, and standard input cannot be.
  const spooled = file === '-' ? await spool(runner) : null
  try {
    const source = await openSource(spooled?.path ?? file)
    const report = order.json ? jsonReport(runner) : textReport(runner)
    const partnerIds = new Map((await listPartners(services.db)).map(({ slug, id }) => [slug, id]))
    const run = (told: ImportReport) =>
      importDeals(
        services.db,
        source,
        {
          ...(order.partner === undefined ? {} : { partner: order.partner }),
          partnerIds,
          dryRun: order.dryRun,
          events: order.events,
          now: () => new Date(),
        },
        told,
      )
    if (!order.dryRun) {
      const started = {
        fileName: file === '-' ? 'standard input' : basename(file),
        partnerId: order.partner?.id ?? null,
        counts: null,
      }
      await startImport(asCommand(services), async () => started)
    }
    const counts = await (services.traces?.import(report, run) ?? run(report))
    report.end(counts)
    return counts.rejected
  } finally {
    await spooled?.remove()
  }
}

async function spool({ input, beforeSignal }: Runner) {
  const directory = await mkdtemp(join(tmpdir(), 'partner-deals-import-'))
  const path = join(directory, 'input')
  const empty = () => rm(directory, { recursive: true, force: true })
  // Homeowners' data must not stay behind, however this ends.
  const forget = beforeSignal(empty)
  const remove = () => empty().finally(forget)
  try {
    await pipeline(input, createWriteStream(path, { mode: 0o600 }))
  } catch (error) {
    await remove()
    throw error
  }
  return { path, remove }
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

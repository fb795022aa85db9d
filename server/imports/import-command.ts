import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { noteCommand } from '../access/audited.ts'
import { listPartners } from '../accounts/store.ts'
import type { Partner } from '../accounts/store.ts'
import { type ImportCounts, type ImportReport, importDeals } from '../deals/import/import-deals.ts'
import { openSource } from '../deals/import/open-source.ts'
import type { Services } from '../runtime/services.ts'

/** What the operator asked of an import. */
interface ImportOrder {
  partner: Partner | undefined
  dryRun: boolean
  events: boolean
  json: boolean
}

/** Imports a file, or standard input for `-`, prints what became of it, and gives how many records were rejected. */
export async function importFile(services: Services, file: string, order: ImportOrder): Promise<number> {
  // A file is read twice, and standard input cannot be.
  const spooled = file === '-' ? await spool(process.stdin) : null
  try {
    const source = await openSource(spooled?.path ?? file)
    const report = order.json ? jsonReport() : textReport()
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
    // First: each batch is a transaction of its own, and the command may be cut short between two of them.
    if (!order.dryRun)
      await noteCommand(services.db, {
        action: 'import.started',
        subject: file === '-' ? 'standard input' : basename(file),
        partnerId: order.partner?.id ?? null,
      })
    const counts = await (services.traces?.import(report, run) ?? run(report))
    report.end(counts)
    return counts.rejected
  } finally {
    await spooled?.remove()
  }
}

async function spool(input: NodeJS.ReadableStream) {
  const directory = await mkdtemp(join(tmpdir(), 'partner-deals-import-'))
  const path = join(directory, 'input')
  const remove = () => rm(directory, { recursive: true, force: true })
  // What homeowners' data there is must not stay behind, whichever way this ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void remove().finally(() => process.exit(1)))
  try {
    await pipeline(input, createWriteStream(path, { mode: 0o600 }))
  } catch (error) {
    await remove()
    throw error
  }
  return { path, remove }
}

type EndingReport = ImportReport & { end(counts: ImportCounts): void }

const warnings = {
  unknown: (field: string, line: number) =>
    void process.stderr.write(`line ${line}: ${JSON.stringify(field)} is not a field of a deal; ignored\n`),
  superseded: (line: number, id: bigint, last: number) =>
    void process.stderr.write(`line ${line}: deal ${id} comes again on line ${last}; the last wins\n`),
}

/** Writes the errors while they come, so that a file full of them takes no memory. */
function jsonReport(): EndingReport {
  let errors = 0
  return {
    ...warnings,
    rejected: (line, { field, reason }) =>
      void process.stdout.write(
        `${errors++ === 0 ? '{"errors":[' : ','}${JSON.stringify({ line, field, reason })}`,
      ),
    progress,
    end: (counts) =>
      void process.stdout.write(`${errors === 0 ? '{"errors":[' : ''}],${JSON.stringify(counts).slice(1)}\n`),
  }
}

function textReport(): EndingReport {
  return {
    ...warnings,
    rejected: (line, { field, reason }) =>
      void process.stderr.write(`line ${line}: ${field === null ? 'the record' : field} ${reason}\n`),
    progress,
    end({ created, updated, unchanged, rejected }) {
      process.stdout.write(
        `created ${created}, updated ${updated}, unchanged ${unchanged}, rejected ${rejected}\n`,
      )
    },
  }
}

function progress(counts: ImportCounts): void {
  if (!process.stderr.isTTY) return
  const done = Object.values(counts).reduce((sum: number, count: number) => sum + count, 0)
  process.stderr.write(`\r${done.toLocaleString('en')} records\r`)
}

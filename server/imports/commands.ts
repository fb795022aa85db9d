import type { Command } from 'commander'
import { everyone } from '../access/actor.ts'
import { type Encoding, encodingNames } from '../readers/file-source.ts'
import {
  CommandError,
  asCommand,
  command,
  printRows,
  requireCount,
  requireFile,
  requirePartner,
  type Runner,
} from '../runtime/command.ts'
import type { Services } from '../runtime/services.ts'
import type { DecimalSign } from '../values/number.ts'
import { beginUndo, throwTaken, startImport } from './actions.ts'
import { type ImportOrder, importFile } from './import-command.ts'
import { readSample } from './import.ts'
import { importStoragesOf } from './make-storages.ts'
import { findUndo } from './related-store.ts'
import { runImport } from './run-import.ts'
import {
  type LeasedImport,
  type StoredImport,
  leaseImport,
  discardImport,
  findImport,
  readImports,
} from './store.ts'

/** Adds the commands that import deals, list imports and undo them. */
export function addImportCommands(program: Command, runner: Runner): void {
  addImport(program, runner)
  const imports = program.command('imports').description('past imports of deals')
  addList(imports, runner)
  addUndo(imports, runner)
}

const headerRowMax = 2_000_000_000

/** The options as parsed from the command line. */
type ImportOptions = Omit<ImportOrder, 'partner' | 'headerRow' | 'decimal' | 'encoding'> &
  Partial<Record<'partner' | 'headerRow' | 'decimal' | 'encoding', string>>

function addImport(program: Command, runner: Runner): void {
  command(program, 'import <file>', 'import deals from XLSX, ODS, CSV or NDJSON; - reads standard input')
    .option('--partner <slug>', 'partner of all deals; otherwise each record names its own')
    .option('--sheet <name>', 'sheet of a workbook; otherwise the one that looks most like deals')
    .option('--header-row <number>', 'row with the titles of the columns; otherwise it is found')
    .option('--day-first', 'read 3/4/2026 as April 3; otherwise as the dates of the file tell')
    .option('--no-day-first', 'read 3/4/2026 as March 4')
    .option(
      '--decimal <sign>',
      'decimal sign of numbers such as 25.200: point or comma; otherwise it is found',
    )
    .option(
      '--encoding <name>',
      `encoding of a text file: ${encodingNames.join(', ')}; otherwise it is found`,
    )
    .option('--no-mapping', 'read only columns whose titles are names of fields, such as zipCode')
    .option('--move-deals', 'move deals of other partners to --partner; otherwise their rows are rejected')
    .option('--clear-empty', 'clear the field of an empty cell; otherwise it keeps its value')
    .option('--new-stages', 'add stages that are like known ones; otherwise their rows are rejected')
    .option('--dry-run', 'report what would happen without changing anything')
    .option('--no-events', 'record no events, for the first load of a partner')
    .action((file: string, options: ImportOptions) =>
      runner.withServices(async (services) => {
        const owner =
          options.partner === undefined ? undefined : await requirePartner(services, options.partner)
        if (options.moveDeals === true && owner === undefined)
          throw new CommandError('--move-deals needs --partner: the partner that the deals move to')
        if (file !== '-') await requireFile(file)
        const rejected = await importFile(runner, services, file, {
          ...options,
          partner: owner,
          headerRow:
            options.headerRow === undefined
              ? undefined
              : requireCount(options.headerRow, 'the header row', headerRowMax),
          decimal: requireDecimal(options.decimal),
          encoding: requireEncoding(options.encoding),
        })
        if (rejected > 0) runner.exitWith(1)
      }),
    )
}

const signs: Record<string, DecimalSign> = { point: '.', '.': '.', comma: ',', ',': ',' }

function requireDecimal(text: string | undefined): DecimalSign | undefined {
  if (text === undefined || Object.hasOwn(signs, text)) return signs[text ?? '']
  throw new CommandError('--decimal must be point or comma')
}

function requireEncoding(text: string | undefined): Encoding | undefined {
  const found = encodingNames.find((name) => name === text?.toLowerCase())
  if (text === undefined || found !== undefined) return found
  throw new CommandError(`--encoding must be one of ${encodingNames.join(', ')}`)
}

const listedMax = 1000

function addList(imports: Command, runner: Runner): void {
  command(imports, 'list', 'past imports, newest first')
    .option('--limit <count>', 'how many', '20')
    .action(({ limit, json }: { limit: string; json?: boolean }) =>
      runner.withServices(async ({ db }) => {
        const found = await readImports(db, everyone, null, requireCount(limit, 'the limit', listedMax))
        const rows = found.map((found) => ({
          id: found.id,
          startedAt: (found.startedAt ?? found.createdAt).toISOString(),
          state: found.state,
          file: found.undoes === null ? found.fileName : `undo of ${found.undoes}`,
          created: found.created,
          updated: found.updated,
          removed: found.removed,
          unchanged: found.unchanged,
          rejected: found.rejected,
        }))
        printRows(runner, rows, json, ['id', 'started', 'state', 'file'], (row) => [
          row.id,
          row.startedAt,
          row.state,
          row.file,
          `${row.created} created`,
          `${row.updated} updated`,
          `${row.rejected} rejected`,
        ])
      }),
    )
}

function addUndo(imports: Command, runner: Runner): void {
  command(imports, 'undo <id>', 'show what the undo of an import would change')
    .option('--apply', 'undo it')
    .option('--no-events', 'record no events, so that partners get no webhooks')
    .action((text: string, options: { apply?: boolean; events: boolean; json?: boolean }) =>
      runner.withServices(async (services) => {
        const id = requireCount(text, 'the id', 2 ** 31 - 1)
        const found = await findImport(services.db, id)
        if (found === undefined)
          throw new CommandError(`there is no import ${id}; "imports list" shows the newest`)
        const earlier = await findUndo(services.db, id)
        if (earlier !== undefined)
          throw new CommandError(
            earlier.state === 'done'
              ? `it was undone by import ${earlier.id}`
              : `import ${earlier.id} is its undo; discard that first`,
          )
        if (!found.isUndoable)
          throw new CommandError('it cannot be undone: it has not ended, or ended too long ago')
        const left = await undoImport(runner, services, found, {
          apply: options.apply === true,
          events: options.events,
          json: options.json === true,
        })
        if (left > 0) runner.exitWith(1)
      }),
    )
}

type UndoServices = Pick<Services, 'db' | 'config' | 'storages' | 'log'>

/** The command-line options of an undo. */
interface UndoOrder {
  apply: boolean
  events: boolean
  json: boolean
}

/**
 * Prints what undoing an import would change, and undoes it if `apply` is set. Returns the number of deals
 * that are kept because they have changed since.
 */
async function undoImport(
  runner: Runner,
  services: UndoServices,
  found: StoredImport,
  { apply, events, json }: UndoOrder,
): Promise<number> {
  const { db } = services
  const storage = importStoragesOf(services).current
  const leased = await beginUndo(db, found, storage.name, { origin: 'command', userId: null }, leaseImport)
  const discard = async () => {
    if ((await db.transaction((tx) => discardImport(tx, leased.id))) !== undefined)
      await storage.removeRejected(leased.id)
  }
  const forget = runner.beforeSignal(discard)
  try {
    const checked = await settle(services, leased)
    const sample = readSample(checked.sample!)
    const undone = apply ? await undo(services, leased.id, sample.counts, events) : checked
    const { created, updated, removed, rejected } = undone
    const stages = sample.removedStages ?? []
    const left = sample.rejected.map(({ deal, reason }) => ({ deal, reason }))
    if (json)
      runner.print(
        JSON.stringify({ applied: apply, restored: updated, removed, created, left: rejected, stages }),
      )
    else {
      for (const { deal, reason } of left) runner.writeError(`deal ${deal} ${reason}\n`)
      runner.print(`restored ${updated}, removed ${removed}, created again ${created}, left ${rejected}`)
      for (const stage of stages)
        runner.print(`removed stage ${JSON.stringify(stage)}: no deal has it any more`)
      if (!apply) runner.print('nothing has changed yet; add --apply to undo the import')
    }
    return rejected
  } finally {
    if (!apply) await discard()
    forget()
  }
}

/** Runs the leased check or import to its end. @throws CommandError if it did not succeed */
async function settle(services: UndoServices, leased: LeasedImport): Promise<StoredImport> {
  await runImport(services.db, importStoragesOf(services).of(leased.storage), leased)
  const ended = await findImport(services.db, leased.id)
  if (ended?.state === 'checked' || ended?.state === 'done') return ended
  throw new CommandError(ended?.problem ?? 'the undo was interrupted; do it again')
}

async function undo(
  services: UndoServices,
  id: number,
  counts: ReturnType<typeof readSample>['counts'],
  events: boolean,
): Promise<StoredImport> {
  const started = await startImport(asCommand(services), async (tx) => ({
    ...((await leaseImport(tx, id, 'checked', events ? {} : { events })) ?? throwTaken()),
    counts,
  }))
  return settle(services, started)
}

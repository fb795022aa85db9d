import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import { note } from '../access/audited.ts'
import { ApiError } from '../errors.ts'
import {
  CommandError,
  asCommand,
  command,
  printResult,
  requireDealId,
  requireFile,
  type Runner,
} from '../runtime/command.ts'
import { formatSpan } from '../values/units.ts'
import { addFile, removeDeal } from './actions.ts'
import { type StorageName, nameProblem } from './file.ts'
import { type FileKind, fileKinds } from './kind.ts'
import { type MoveCounts, moveFiles } from './move-files.ts'
import { countAllUnnamed, sweepNow } from './remove-unnamed.ts'

/** Adds the commands that remove deals and that add files to deals. */
export function addDealCommands(program: Command, runner: Runner): void {
  addRemove(program, runner)
  const file = program.command('file').description('files of deals')
  addFileCommand(file, runner)
  addMove(file, runner)
  addSweep(file, runner)
}

function addRemove(program: Command, runner: Runner): void {
  command(program.command('deal').description('deals'), 'remove <id>', 'remove a deal and its files').action(
    (text: string, { json }: { json?: boolean }) =>
      runner.withServices(async (services) => {
        const id = requireDealId(text)
        const files = await removeDeal(asCommand(services), services.storages, id).catch(refuseMissing(text))
        printResult(runner, json, { id, removed: true, files }, `removed ${id}`)
      }),
  )
}

function addFileCommand(program: Command, runner: Runner): void {
  command(program, 'add <path>', 'add a file to a deal; prints its id')
    .requiredOption('--deal <id>', 'the deal it belongs to')
    .option('--name <name>', 'file name (default: that of the path)')
    .addOption(new Option('--kind <kind>', 'what it is').choices(fileKinds).default('other'))
    .action(
      (path: string, { kind, ...options }: { deal: string; name?: string; kind: FileKind; json?: boolean }) =>
        runner.withServices(async (services) => {
          const dealId = requireDealId(options.deal)
          const name = options.name ?? basename(path)
          const reason = nameProblem(name)
          if (reason !== null) throw new CommandError(`the name ${reason}`)
          const { size } = await requireFile(path)
          const id = await addFile(asCommand(services), services.storages, {
            dealId,
            name,
            kind,
            content: path,
          }).catch(refuseMissing(options.deal))
          printResult(runner, options.json, { id, deal: dealId, name, size }, id)
        }),
    )
}

function addMove(program: Command, runner: Runner): void {
  command(
    program,
    'move',
    'move the contents of all files to the store, or back to the data directory; resumes where it was interrupted',
  )
    .addOption(new Option('--to <storage>', 'where to').choices(['s3', 'disk']).makeOptionMandatory())
    .action(({ to, json }: { to: StorageName; json?: boolean }) =>
      runner.withServices(async (services) => {
        const { db, storages, config } = services
        if (config.s3 === null)
          throw new CommandError('no store is configured: set S3_BUCKET and the other S3_ variables')
        await note(asCommand(services), { action: 'files.moved', subject: `to ${to}`, partnerId: null })
        const counts = await moveFiles({ db, storages, urlTtlS: config.fileUrlTtlS }, to, {
          problem: ({ id, dealId }, problem) =>
            runner.warn(`${id} of deal ${dealId}: its content is ${problem}; not moved`),
          progress: ({ moved }) => runner.warn(`${moved} moved`),
        })
        printResult(runner, json, counts, movedText(counts, config.fileUrlTtlS))
        if (counts.missing + counts.damaged > 0) runner.exitWith(1)
      }),
    )
}

function addSweep(program: Command, runner: Runner): void {
  command(
    program,
    'sweep',
    'count stored contents that belong to no file; each day, the server removes those older than a day',
  )
    .option('--remove', 'remove them now, and let this database sweep the storage from now on')
    .action(({ remove, json }: { remove?: boolean; json?: boolean }) =>
      runner.withServices(async (services) => {
        if (remove === true)
          await note(asCommand(services), { action: 'files.swept', subject: '', partnerId: null })
        const found = await (remove === true ? sweepNow(services) : countAllUnnamed(services))
        const lines = Object.entries(found).map(
          ([name, { contents, unnamed, removed }]) =>
            `${name}: ${contents} contents, ${unnamed} that belong to no file, ${removed} removed`,
        )
        printResult(runner, json, found, lines.join('\n'))
      }),
    )
}

function movedText({ moved, missing, damaged, removed, waiting }: MoveCounts, urlTtlS: number): string {
  const counts = `${moved} moved, ${missing} missing, ${damaged} damaged; ${removed} removed from the old storage`
  if (waiting === 0) return counts
  return `${counts}\n${waiting} stay in the store until their URLs expire: run this again in ${formatSpan(urlTtlS * 1000)}`
}

function refuseMissing(id: string) {
  return (error: unknown): never => {
    throw error instanceof ApiError && error.code === 'NOT_FOUND'
      ? new CommandError(`there is no deal ${id}`)
      : error
  }
}

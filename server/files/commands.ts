import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import { Refusal } from '../protocol/errors.ts'
import { stringifyJson } from '../protocol/int64.ts'
import { CommandError, asCommand, command, requireDealId, requireFile } from '../runtime/command.ts'
import type { Runner } from '../runtime/runner.ts'
import { addFile, removeDeal } from './actions.ts'
import { type FileKind, fileKinds, nameProblem } from './file.ts'

/** Adds the commands that remove deals and add files to them. */
export function addDealCommands(program: Command, runner: Runner): void {
  addRemove(program, runner)
  addFileCommand(program, runner)
}

function addRemove(program: Command, runner: Runner): void {
  command(program.command('deal').description('deals'), 'remove <id>', 'remove a deal and its files').action(
    (text: string, { json }: { json?: boolean }) =>
      runner.withServices(async (services) => {
        const id = requireDealId(text)
        const files = await removeDeal(asCommand(services), services.storages, id).catch(refuseMissing(text))
        runner.print(json === true ? stringifyJson({ id, removed: true, files }) : `removed ${id}`)
      }),
  )
}

function addFileCommand(program: Command, runner: Runner): void {
  command(
    program.command('file').description('files of deals'),
    'add <path>',
    'add a file to a deal; prints its id',
  )
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
          runner.print(options.json === true ? stringifyJson({ id, deal: dealId, name, size }) : id)
        }),
    )
}

function refuseMissing(id: string) {
  return (error: unknown): never => {
    throw error instanceof Refusal && error.code === 'NOT_FOUND'
      ? new CommandError(`there is no deal ${id}`)
      : error
  }
}

import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { noteCommand } from './audited.ts'
import { CommandError, asCommand, command, print, requireDealId, requirePartner, withServices } from './command.ts'
import { loadDemo } from './demo.ts'
import { Refusal } from './errors.ts'
import { addFile, removeDeal } from './files/actions.ts'
import { refuseName } from './files/file.ts'
import { importFile } from './import-command.ts'
import { stringifyJson } from './int64.ts'

/** Adds the commands about deals and their files. */
export function addDealCommands(program: Command): void {
  command(program, 'import <file>', 'bring deals in from NDJSON or CSV; - reads standard input')
    .option('--partner <slug>', 'the partner of every deal; without it each record names its own')
    .option('--dry-run', 'say what would happen and change nothing')
    .option('--no-events', 'record no events: for the first load of a partner')
    .action((file: string, options: { partner?: string; dryRun?: boolean; events: boolean; json?: boolean }) => withServices(async (services) => {
      const owner = options.partner === undefined ? undefined : await requirePartner(services, options.partner)
      if (file !== '-') await requireFile(file)
      const rejected = await importFile(services, file, { ...options, partner: owner, dryRun: options.dryRun === true, json: options.json === true })
      if (rejected > 0) process.exitCode = 1
    }))

  command(program.command('deal').description('deals'), 'remove <id>', 'remove a deal and its files')
    .action((text: string, { json }: { json?: boolean }) => withServices(async (services) => {
      const id = requireDealId(text)
      const files = await removeDeal(asCommand(services), services.storage, id).catch(refuseMissing(text))
      print(json === true ? stringifyJson({ id, removed: true, files }) : `removed ${id}`)
    }))

  command(program.command('file').description('files of deals'), 'add <path>', 'add a file to a deal; prints its id')
    .requiredOption('--deal <id>', 'the deal it belongs to').option('--name <name>', 'its name, if not that of the path')
    .action((path: string, options: { deal: string; name?: string; json?: boolean }) => withServices(async (services) => {
      const dealId = requireDealId(options.deal)
      const name = options.name ?? basename(path)
      const reason = refuseName(name)
      if (reason !== null) throw new CommandError(`the name ${reason}`)
      const { size } = await requireFile(path)
      const id = await addFile(asCommand(services), services.storage, { dealId, name, path, sizeBytes: size }).catch(refuseMissing(options.deal))
      print(options.json === true ? stringifyJson({ id, deal: dealId, name, size }) : id)
    }))

  command(program, 'demo', 'load the demonstration data').action(({ json }: { json?: boolean }) => withServices(async (services) => {
    const access = await loadDemo(services)
    await noteCommand(services.db, { action: 'demo.loaded' })
    print(json === true ? stringifyJson(access) : ['Loaded. Portal:', ...access.accounts.map(({ role, email, password }) => `${role} ${email} ${password}`), `API token: ${access.token}`].join('\n'))
  }))
}

async function requireFile(path: string) {
  const found = await stat(path).catch(() => null)
  if (found === null || !found.isFile()) throw new CommandError(`there is no file ${JSON.stringify(path)}`)
  return found
}

function refuseMissing(id: string) {
  return (error: unknown): never => {
    throw error instanceof Refusal && error.code === 'NOT_FOUND' ? new CommandError(`there is no deal ${id}`) : error
  }
}

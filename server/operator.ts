import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Command, CommanderError } from 'commander'
import { addBackupCommands } from './backup-commands.ts'
import { CommandError, command, print, requireDealId, requirePartner, withServices } from './command.ts'
import { removeDeal } from './deals/deal-writer.ts'
import { loadDemo } from './demo.ts'
import { fileIdsOf, insertFile } from './files/store.ts'
import { makeFileId, refuseName, typeOf } from './files/file.ts'
import { importFile } from './import-command.ts'
import { stringifyJson } from './int64.ts'
import { addPartnerCommands } from './partner-commands.ts'
import { addTokenCommands } from './token-commands.ts'
import { addUserCommands } from './user-commands.ts'
import { addWebhookCommands } from './webhook-commands.ts'

const tell = (text: string) => void process.stderr.write(`${text}\n`)

const program = new Command('operator')
  .description('Looks after partners, users, tokens, deals and files; the system may be running or stopped.')
  .exitOverride()
  .configureHelp({ showGlobalOptions: true })

async function requireFile(path: string) {
  const found = await stat(path).catch(() => null)
  if (found === null || !found.isFile()) throw new CommandError(`there is no file ${JSON.stringify(path)}`)
  return found
}

addPartnerCommands(program)

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
  .action((text: string, { json }: { json?: boolean }) => withServices(async ({ db, storage }) => {
    const id = requireDealId(text)
    const fileIds = await fileIdsOf(db, id)
    // First, so that a command which is cut short can be given again.
    for (const fileId of fileIds) await storage.remove(fileId)
    if (!await removeDeal(db, id)) throw new CommandError(`there is no deal ${text}`)
    print(json === true ? stringifyJson({ id, removed: true, files: fileIds.length }) : `removed ${id}`)
  }))

command(program.command('file').description('files of deals'), 'add <path>', 'add a file to a deal; prints its id')
  .requiredOption('--deal <id>', 'the deal it belongs to').option('--name <name>', 'its name, if not that of the path')
  .action((path: string, options: { deal: string; name?: string; json?: boolean }) => withServices(async ({ db, storage }) => {
    const dealId = requireDealId(options.deal)
    const name = options.name ?? basename(path)
    const reason = refuseName(name)
    if (reason !== null) throw new CommandError(`the name ${reason}`)
    const found = await requireFile(path)
    const id = makeFileId(randomBytes)
    await storage.put(id, path)
    if (!await insertFile(db, { id, dealId, name, type: typeOf(name), sizeBytes: found.size })) {
      await storage.remove(id)
      throw new CommandError(`there is no deal ${options.deal}`)
    }
    print(options.json === true ? stringifyJson({ id, deal: dealId, name, size: found.size }) : id)
  }))

addTokenCommands(program)
addUserCommands(program)
addWebhookCommands(program)
addBackupCommands(program)

command(program, 'demo', 'load the demonstration data').action(({ json }: { json?: boolean }) => withServices(async (services) => {
  const access = await loadDemo(services)
  print(json === true ? stringifyJson(access) : ['Loaded. Portal:', ...access.accounts.map(({ role, email, password }) => `${role} ${email} ${password}`), `API token: ${access.token}`].join('\n'))
}))

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1
  // Commander has said already what is wrong with the words of a command.
  if (!(error instanceof CommanderError)) tell(`operator: ${error instanceof Error ? error.message : String(error)}`)
}

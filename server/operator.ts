import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { createPartner, listPartners } from './accounts/store.ts'
import { isSlug } from './accounts/partner.ts'
import { CommandError, command, print, printRows, requireDealId, requirePartner, withServices } from './command.ts'
import { removeDeal } from './deals/deal-writer.ts'
import { loadDemo } from './demo.ts'
import { fileIdsOf, insertFile } from './files/store.ts'
import { makeFileId, refuseName, typeOf } from './files/file.ts'
import { importFile } from './import-command.ts'
import { stringifyJson } from './int64.ts'
import { createToken } from './tokens/create-token.ts'
import { listTokens, revokeToken } from './tokens/store.ts'
import { type Scope, internalScopes, scopes } from './tokens/scope.ts'
import { expiryAfter } from './tokens/token.ts'
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

const partner = program.command('partner').description('partners')

command(partner, 'create <slug>', 'make a partner').requiredOption('--name <name>', 'its name')
  .action((slug: string, { name, json }: { name: string; json?: boolean }) => withServices(async ({ db }) => {
    if (!isSlug(slug)) throw new CommandError('a slug is 1 to 63 of a-z, 0-9 and inner hyphens')
    if (name.trim() === '') throw new CommandError('--name must not be empty')
    const made = await createPartner(db, slug, name)
    if (made === undefined) throw new CommandError(`there is a partner ${slug} already`)
    print(json === true ? stringifyJson({ id: made.id, slug, name }) : slug)
  }))

command(partner, 'list', 'all partners').action(({ json }: { json?: boolean }) => withServices(async ({ db }) => {
  printRows(await listPartners(db), json, ({ id, slug, name }) => [id, slug, name])
}))

const token = program.command('token').description('API tokens')

command(token, 'create', 'make a token; it is shown this once').requiredOption('--name <name>', 'what it is for')
  .addOption(new Option('--partner <slug>', 'the partner it belongs to').conflicts('internal'))
  .option('--internal', "make it one of the installer's own staff, which sees all deals")
  .option('--scopes <list>', `some of ${scopes.join(',')}; all without it`)
  .option('--expires <span>', 'such as 30d, 12h or 90m; never without it')
  .action((options: { name: string; partner?: string; internal?: boolean; scopes?: string; expires?: string; json?: boolean }) => withServices(async (services) => {
    if (options.partner === undefined && options.internal !== true) throw new CommandError('say whose it is: --partner <slug> or --internal')
    if (options.name.trim() === '') throw new CommandError('--name must not be empty')
    const expiresAt = options.expires === undefined ? null : expiryAfter(options.expires, new Date())
    if (options.expires !== undefined && expiresAt === null) throw new CommandError('--expires must be a span such as 30d, 12h or 90m')
    const owner = options.partner === undefined ? null : await requirePartner(services, options.partner)
    const allowed = owner === null ? internalScopes : scopes
    const wanted = readScopes(options.scopes, allowed)
    const made = await createToken(services.db, { partnerId: owner?.id ?? null, name: options.name, scopes: wanted, expiresAt })
    print(options.json === true ? stringifyJson({ ...made, partner: owner?.slug ?? null, scopes: wanted, expiresAt }) : made.token)
  }))

function readScopes(list: string | undefined, allowed: readonly Scope[]): readonly Scope[] {
  if (list === undefined) return allowed
  const wanted = list.split(',').map((scope) => scope.trim()) as Scope[]
  const wrong = wanted.find((scope) => !allowed.includes(scope))
  if (wrong !== undefined) throw new CommandError(`--scopes: ${JSON.stringify(wrong)} is none of ${allowed.join(',')}`)
  return [...new Set(wanted)]
}

command(token, 'list', 'all tokens').action(({ json }: { json?: boolean }) => withServices(async ({ db }) => {
  printRows(await listTokens(db), json, (row) => [
    row.id, row.partner ?? '(internal)', row.prefix, row.name, row.scopes.join(','),
    row.revokedAt !== null ? 'revoked' : row.expiresAt === null ? 'never expires' : `expires ${row.expiresAt.toISOString()}`,
  ])
}))

command(token, 'revoke <id>', 'revoke a token: it stops working at once').action((text: string, { json }: { json?: boolean }) => withServices(async ({ db }) => {
  const id = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
  if (id === null || !await revokeToken(db, id)) throw new CommandError(`there is no token ${JSON.stringify(text)}; "token list" shows all`)
  print(json === true ? stringifyJson({ id, revoked: true }) : `revoked ${id}`)
}))

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

addUserCommands(program)
addWebhookCommands(program)

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

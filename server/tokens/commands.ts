import { type Command, Option } from 'commander'
import { everyone } from '../access/actor.ts'
import { ApiError } from '../errors.ts'
import {
  CommandError,
  asCommand,
  command,
  printResult,
  printRows,
  requirePartner,
  type Runner,
} from '../runtime/command.ts'
import { createToken, revokeToken, rotateToken } from './actions.ts'
import { endOfReplaced, stateOf } from './expiry.ts'
import { type Scope, internalScopes, scopes } from './policy.ts'
import { isTokenWithin, listTokens } from './store.ts'
import { expiryAfter } from './token.ts'

interface TokenOptions {
  name: string
  partner?: string
  internal?: boolean
  scopes?: string
  expires?: string
  json?: boolean
}

/** Adds the commands for API tokens. */
export function addTokenCommands(program: Command, runner: Runner): void {
  const token = program.command('token').description('API tokens')
  addCreate(token, runner)
  addList(token, runner)
  addRotate(token, runner)
  addRevoke(token, runner)
}

function addCreate(token: Command, runner: Runner): void {
  command(token, 'create', 'create a token; it is shown only once')
    .requiredOption('--name <name>', 'purpose of the token')
    .addOption(new Option('--partner <slug>', 'the partner it belongs to').conflicts('internal'))
    .option('--internal', 'create an internal token, which sees all deals')
    .option('--scopes <list>', `some of ${scopes.join(',')}; default: all`)
    .option('--expires <span>', 'lifetime such as 30d, 12h or 90m (default: never)')
    .action((options: TokenOptions) =>
      runner.withServices(async (services) => {
        if (options.partner === undefined && options.internal !== true)
          throw new CommandError('choose an owner: --partner <slug> or --internal')
        if (options.name.trim() === '') throw new CommandError('--name must not be empty')
        const expiresAt = options.expires === undefined ? null : expiryAfter(options.expires, new Date())
        if (options.expires !== undefined && expiresAt === null)
          throw new CommandError('--expires must be a span such as 30d, 12h or 90m')
        const owner = options.partner === undefined ? null : await requirePartner(services, options.partner)
        const wanted = readScopes(options.scopes, owner === null ? internalScopes : scopes)
        const { id, token } = await createToken(asCommand(services), {
          partnerId: owner?.id ?? null,
          name: options.name,
          scopes: wanted,
          expiresAt,
        })
        printResult(
          runner,
          options.json,
          { id, token, partner: owner?.slug ?? null, scopes: wanted, expiresAt },
          token,
        )
      }),
    )
}

function addList(token: Command, runner: Runner): void {
  command(token, 'list', 'list tokens with their last use and state').action(({ json }: { json?: boolean }) =>
    runner.withServices(async ({ db }) => {
      const now = new Date()
      const rows = (await listTokens(db)).map(({ isSuspended, ...row }) => ({
        ...row,
        state: stateOf({ ...row, isSuspended }, now),
      }))
      printRows(runner, rows, json, ['id', 'partner', 'prefix', 'name', 'scopes', 'used', 'state'], (row) => [
        row.id,
        row.partner ?? '(internal)',
        row.prefix,
        row.name,
        row.isSheet ? 'sheet link' : row.scopes.join(','),
        row.lastUsedAt === null ? 'never used' : `used ${row.lastUsedAt.toISOString()}`,
        stateText(row),
      ])
    }),
  )
}

function addRotate(token: Command, runner: Runner): void {
  command(token, 'rotate <id>', 'replace a token; the new one is shown only once')
    .option(
      '--grace <span>',
      'how long the old one stays valid, such as 1h, 24h or 7d; now revokes it immediately',
      '24h',
    )
    .action((text: string, { grace, json }: { grace: string; json?: boolean }) =>
      runner.withServices(async (services) => {
        const now = new Date()
        if (endOfReplaced(null, grace, now) === null)
          throw new CommandError('--grace must be now or a span such as 24h, 7d or 90m')
        const id = requireTokenId(text)
        const { oldEndsAt, ...successor } = await rotateToken(asCommand(services), everyone, {
          id,
          grace,
          now,
        }).catch((error: unknown) => {
          throw isMissing(error) ? missing(text) : error
        })
        printResult(
          runner,
          json,
          {
            id: successor.id,
            token: successor.token,
            scopes: successor.scopes,
            expiresAt: successor.expiresAt,
            replaced: { id, endsAt: oldEndsAt },
          },
          successor.token,
        )
      }),
    )
}

function addRevoke(token: Command, runner: Runner): void {
  command(token, 'revoke <id>', 'revoke a token immediately').action(
    (text: string, { json }: { json?: boolean }) =>
      runner.withServices(async (services) => {
        const id = requireTokenId(text)
        await revokeToken(asCommand(services), everyone, id).catch(async (error: unknown) => {
          if (!isMissing(error)) throw error
          // Revoking a revoked token succeeds.
          if (!(await isTokenWithin(services.db, everyone, id))) throw missing(text)
        })
        printResult(runner, json, { id, revoked: true }, `revoked ${id}`)
      }),
  )
}

function readScopes(list: string | undefined, allowed: readonly Scope[]): readonly Scope[] {
  if (list === undefined) return allowed
  const wanted = list.split(',').map((scope) => scope.trim()) as Scope[]
  const wrong = wanted.find((scope) => !allowed.includes(scope))
  if (wrong !== undefined)
    throw new CommandError(`--scopes: ${JSON.stringify(wrong)} is none of ${allowed.join(',')}`)
  return [...new Set(wanted)]
}

const isMissing = (error: unknown) => error instanceof ApiError && error.code === 'NOT_FOUND'

const missing = (text: string) =>
  new CommandError(`there is no token ${JSON.stringify(text)}; "token list" shows all`)

function requireTokenId(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw missing(text)
  return Number(text)
}

function stateText({
  state,
  expiresAt,
}: {
  state: ReturnType<typeof stateOf>
  expiresAt: Date | null
}): string {
  if (state === 'revoked') return 'revoked'
  const end = expiresAt?.toISOString()
  if (state === 'expired') return `expired ${end}`
  if (state === 'replaced') return `replaced, works until ${end}`
  const expiry = end === undefined ? 'never expires' : `expires ${end}`
  return state === 'suspended' ? `partner suspended, ${expiry}` : expiry
}

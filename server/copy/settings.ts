import { parseArgs, parseEnv } from 'node:util'
import { usage } from './failures.ts'
import { type TargetPlan, hasPassword, readTarget, readText } from './target-url.ts'

const commandNames = ['check', 'follow', 'sync', 'verify', 'status', 'reset', 'print-ddl'] as const

type CommandName = (typeof commandNames)[number]

export interface Settings {
  command: CommandName
  /** The base URL of the portal, without `/api`. */
  from: string
  token: string
  to: TargetPlan
  prefix: string
  allowDeletes: boolean
  reload: boolean
}

export const help = `partner-deals-copy: keeps a copy of your deals in a database or a folder

  node partner-deals-copy.mjs <command> [options]

  check       checks the token and the target without changes
  sync        updates the copy and exits
  follow      updates the copy and keeps it current until stopped
  verify      compares every deal of the copy with the portal
  status      prints how current the copy is
  reset       removes the copy (requires --yes)
  print-ddl   prints the SQL that creates the tables

  --from <url>       the portal            or PARTNER_DEALS_URL
  --to <url>         the target            or PARTNER_DEALS_COPY_TO
                     postgres://, mysql://, mariadb://, sqlite:<file> or csv:<folder>
  --config <file>    a file with these variables, one NAME=value per line
  --prefix <text>    the prefix of tables and files, partner_ by default
  --allow-deletes    allows a run to remove more than a fifth of the deals
  --reload           loads all deals again
  --yes              confirms reset

  Set the token in PARTNER_DEALS_TOKEN, and a target with a password in PARTNER_DEALS_COPY_TO, or name files
  that contain them in PARTNER_DEALS_TOKEN_FILE and PARTNER_DEALS_COPY_TO_FILE. Other users can read the
  command line, so neither is accepted there.

  Exit codes: 0 success, 1 failure, 2 usage error, 3 another run has the copy, 4 the copy differs, or too many
  deals would be removed
`

const options = {
  from: { type: 'string' },
  to: { type: 'string' },
  config: { type: 'string' },
  prefix: { type: 'string', default: 'partner_' },
  'allow-deletes': { type: 'boolean', default: false },
  reload: { type: 'boolean', default: false },
  yes: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Environment = Record<string, string | undefined>

/**
 * Reads settings from the command line, from environment variables and from the files that these name.
 * Returns null if help was requested.
 * @throws Failure for a missing or invalid setting
 */
export function readSettings(words: string[], environment: Environment): Settings | null {
  refuseSecrets(words)
  const { values, positionals } = parse(words)
  if (values.help === true || positionals[0] === 'help') return null
  const [command, ...others] = positionals
  if (command === undefined || !commandNames.includes(command as CommandName) || others.length > 0)
    throw usage(`the command must be one of ${commandNames.join(', ')}; --help explains them`)
  const config = values.config === undefined ? {} : parseEnv(readText(values.config))
  const variables = { ...withoutEmpty(config), ...withoutEmpty(environment) }
  const to = values.to ?? variable(variables, 'PARTNER_DEALS_COPY_TO')
  if (to === undefined) throw usage('the target is missing: --to or PARTNER_DEALS_COPY_TO')
  if (!/^[a-z][a-z0-9_]{0,30}$/.test(values.prefix))
    throw usage('--prefix must consist of lower-case letters, digits and underscores, such as partner_')
  const isOffline = command === 'print-ddl' || command === 'reset'
  const from = values.from ?? variables.PARTNER_DEALS_URL ?? ''
  const token = variable(variables, 'PARTNER_DEALS_TOKEN') ?? ''
  if (!isOffline && from === '') throw usage('the portal is missing: --from or PARTNER_DEALS_URL')
  if (!isOffline && token === '')
    throw usage('the token is missing: PARTNER_DEALS_TOKEN or PARTNER_DEALS_TOKEN_FILE')
  const target = readTarget(to)
  if (command === 'print-ddl' && target.kind === 'csv')
    throw usage('a folder of CSV files has no tables to create')
  if (command === 'reset' && values.yes !== true) throw usage('reset removes the copy: confirm with --yes')
  return {
    command: command as CommandName,
    from: from && readBase(from),
    token,
    to: target,
    prefix: values.prefix,
    allowDeletes: values['allow-deletes'],
    reload: values.reload,
  }
}

function parse(words: string[]) {
  try {
    return parseArgs({ args: words, options, allowPositionals: true })
  } catch (error) {
    throw usage(`${(error as Error).message.split('. ')[0]!}; --help lists the options`)
  }
}

/**
 * Rejects secrets on the command line, which every user of the machine can read.
 * @throws Failure for secrets on the command line, which every user of the machine can read
 */
function refuseSecrets(words: string[]): void {
  const instead = (name: string) =>
    `on the command line can be read by everyone on this machine: use ${name} or ${name}_FILE`
  for (const word of words) {
    if (hasPassword(word.replace(/^--\w+=/, '')))
      throw usage(`a password ${instead('PARTNER_DEALS_COPY_TO')}`)
    if (/^--token\b/.test(word) || [...word.matchAll(/\bpd_\w+/g)].some(([token]) => token.length > 32))
      throw usage(`a token ${instead('PARTNER_DEALS_TOKEN')}`)
  }
}

const withoutEmpty = (variables: Environment): Environment =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''))

/**
 * Returns the value of a variable, or the content of the file that the variable with the suffix `_FILE`
 * names.
 */
function variable(variables: Environment, name: string): string | undefined {
  const path = variables[`${name}_FILE`]
  return variables[name] ?? (path === undefined ? undefined : readText(path).trim())
}

function readBase(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text) || new URL(text).username !== '')
    throw usage('the portal must be an http or https URL, such as https://deals.example.com')
  let base = text
  while (base.endsWith('/')) base = base.slice(0, -1)
  return base.replace(/\/api$/, '')
}

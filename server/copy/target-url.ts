import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { usage } from './failures.ts'

/** How a connection is encrypted, with the words of libpq. */
export interface Tls {
  mode: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full'
  /** Files; without `ca`, the authorities that Node trusts. */
  ca: string | null
  cert: string | null
  key: string | null
}

export interface ServerTarget {
  kind: 'postgres' | 'mysql'
  /** A name, an IP address, or the directory or path of a socket. */
  host: string
  port: number
  user?: string
  password?: string
  database: string
  tls: Tls
  applicationName: string
  /** Options of the session, as libpq takes them. */
  options?: string
  /** What the URL asks for and does not get. */
  notes: string[]
}

interface FileTarget {
  kind: 'sqlite' | 'csv'
  path: string
}

export type TargetPlan = ServerTarget | FileTarget

/** The secrets of a URL, which no message may show. */
export const secretsOf = (plan: TargetPlan): string[] =>
  'password' in plan && plan.password !== undefined ? [plan.password] : []

/** Returns whether a URL has a password. */
export const hasPassword = (url: string) =>
  /^[a-z]+:\/\/[^/?#:]*:[^/?#@]*@/i.test(url) || /[?&](?:ssl)?password=/i.test(url)

const kinds = { postgres: 'postgres', postgresql: 'postgres', mysql: 'mysql', mariadb: 'mysql' } as const
const usualPorts = { postgres: 5432, mysql: 3306 }

/**
 * Reads the URL of a target.
 * @throws Failure if it is none
 */
export function readTarget(text: string): TargetPlan {
  const [, scheme = '', rest = ''] = /^([a-z0-9]+):(.*)$/is.exec(text) ?? []
  const name = scheme.toLowerCase()
  if (name === 'sqlite' || name === 'csv') {
    const path = rest.replace(/^\/\/(?=\/|$)/, '')
    if (path === '') throw usage(`${name}: needs a path, such as ${name}:/var/lib/deals`)
    return { kind: name, path }
  }
  if (!(name in kinds))
    throw usage('the target must begin with postgres://, mysql://, mariadb://, sqlite: or csv:')
  return readServer(kinds[name as keyof typeof kinds], text)
}

function readServer(kind: ServerTarget['kind'], text: string): ServerTarget {
  if (!URL.canParse(text))
    throw usage('the URL of the target is not valid: percent-encode what is special in its password')
  const url = new URL(text)
  const parameters = new Map(url.searchParams)
  const take = (...names: string[]) => {
    const found = names.filter((name) => parameters.has(name))
    const value = found[0] === undefined ? undefined : parameters.get(found[0])
    for (const name of found) parameters.delete(name)
    return value
  }
  const host = take('host', 'socket') ?? decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, '$1'))
  const user = take('user') ?? (url.username === '' ? undefined : decodeURIComponent(url.username))
  const password = take('password') ?? (url.password === '' ? undefined : decodeURIComponent(url.password))
  const database = take('dbname') ?? decodeURIComponent(url.pathname.slice(1))
  if (database === '') throw usage('the URL of the target names no database')
  const notes: string[] = []
  const tls = readTls(kind, take, notes)
  const applicationName = take('application_name') ?? 'partner-deals-copy'
  const options = kind === 'postgres' ? take('options') : undefined
  refuseUnknown(parameters, notes)
  return {
    kind,
    host: host === '' ? 'localhost' : host,
    port: Number(take('port') ?? (url.port || usualPorts[kind])),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    database,
    tls,
    applicationName,
    ...(options === undefined ? {} : { options }),
    notes,
  }
}

/** The words of MySQL's own clients. */
const mysqlModes: Record<string, Tls['mode']> = {
  disabled: 'disable',
  preferred: 'prefer',
  required: 'require',
  verify_ca: 'verify-ca',
  verify_identity: 'verify-full',
}
const modes: readonly string[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full']

type Take = (...names: string[]) => string | undefined

function readTls(kind: ServerTarget['kind'], take: Take, notes: string[]): Tls {
  const given = take('sslmode', 'ssl-mode')?.toLowerCase()
  const root = take('sslrootcert', 'ssl-ca')
  let mode = mysqlModes[given ?? ''] ?? (given === 'allow' ? 'prefer' : given)
  // As libpq: with the system's authorities, nothing less than full verification.
  mode ??= root === 'system' ? 'verify-full' : 'prefer'
  if (!modes.includes(mode)) throw usage(`sslmode must be one of ${modes.join(', ')}`)
  if (root === 'system' && mode !== 'verify-full') throw usage('sslrootcert=system needs sslmode=verify-full')
  // As libpq: with authorities to trust, `require` verifies that one of them signed the certificate.
  if (mode === 'require' && root !== undefined) mode = 'verify-ca'
  if (mode === 'require')
    notes.push(
      'sslmode=require encrypts without verifying the server: with verify-full nobody can pose as it',
    )
  const isBound = take('channel_binding') === 'require'
  if (isBound && mode !== 'verify-full')
    notes.push('channel_binding=require has no effect here: sslmode=verify-full authenticates the server')
  return {
    mode: mode as Tls['mode'],
    ca: root === undefined ? usualRoot(kind, mode) : existing(root === 'system' ? undefined : root),
    cert: existing(take('sslcert', 'ssl-cert')),
    key: existing(take('sslkey', 'ssl-key')),
  }
}

/** Returns where libpq looks for authorities; null if there is no such file. */
function usualRoot(kind: ServerTarget['kind'], mode: string): string | null {
  const path = join(homedir(), '.postgresql', 'root.crt')
  return kind === 'postgres' && mode.startsWith('verify') && existsSync(path) ? path : null
}

function existing(path: string | undefined): string | null {
  if (path === undefined) return null
  if (!existsSync(path)) throw usage(`the file ${path} of the target's URL does not exist`)
  return path
}

/** What other programs put into URLs, and this one does not need. */
const needless =
  /^(?:pgbouncer|connection_limit|pool_timeout|connect_timeout|keepalives\w*|gssencmode|sslsni|sslnegotiation|target_session_attrs|charset|timezone|uselibpqcompat)$/i

function refuseUnknown(parameters: Map<string, string>, notes: string[]): void {
  parameters.delete('port')
  for (const name of parameters.keys()) {
    if (!needless.test(name)) throw usage(`the URL of the target has the unknown parameter ${name}`)
    if (name !== 'pgbouncer') notes.push(`the parameter ${name} of the target's URL is not used`)
  }
}

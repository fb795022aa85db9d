import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { usage } from './failures.ts'

const sslmodes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

export interface Server {
  kind: 'postgres' | 'mysql'
  /** A hostname, an IP address, or the path of a socket. */
  host: string
  port: number
  user?: string
  password?: string
  database: string
  /** As defined by libpq. */
  sslmode: (typeof sslmodes)[number]
  /** The contents of the certificate files. Without `ca`, Node's default authorities are trusted. */
  certificates: { ca?: string; cert?: string; key?: string }
  /** Session options as defined by libpq. */
  options?: string
}

export type TargetPlan = Server | { kind: 'sqlite'; path: string } | { kind: 'csv'; path: string }

/** Returns true if the URL contains a password. */
export const hasPassword = (url: string) =>
  /^[a-z]+:\/\/[^/?#:]*:[^/?#@]*@/i.test(url) || /[?&](?:ssl)?password=/i.test(url)

const kinds = { postgres: 'postgres', postgresql: 'postgres', mysql: 'mysql', mariadb: 'mysql' } as const
const usualPorts = { postgres: '5432', mysql: '3306' }
const known = ['host', 'port', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'options']
/** Parameters that are meant for other programs and can be ignored. */
const needless = new Set(
  (
    'application_name channel_binding pgbouncer connection_limit pool_timeout connect_timeout gssencmode sslsni ' +
    'sslnegotiation target_session_attrs charset timezone uselibpqcompat'
  ).split(' '),
)
const isNeedless = (name: string) => needless.has(name.toLowerCase()) || /^keepalives\w*$/i.test(name)

/** Parses the URL of a target. @throws Failure for an invalid one */
export function readTarget(text: string): TargetPlan {
  const [, scheme = '', rest = ''] = /^([a-z0-9]+):(.*)$/is.exec(text) ?? []
  const kind = scheme.toLowerCase()
  if (kind === 'sqlite' || kind === 'csv') {
    const path = rest.replace(/^\/\/(?=\/|$)/, '')
    if (path === '') throw usage(`${kind}: needs a path, such as ${kind}:/var/lib/deals`)
    return { kind, path }
  }
  if (!(kind in kinds))
    throw usage('the target must begin with postgres://, mysql://, mariadb://, sqlite: or csv:')
  return readServer(kinds[kind as keyof typeof kinds], text)
}

function readServer(kind: Server['kind'], text: string): Server {
  if (!URL.canParse(text))
    throw usage('the URL of the target is not valid: percent-encode special characters in the password')
  const { username, password, hostname, port, pathname, searchParams } = new URL(text)
  for (const name of searchParams.keys())
    if (!known.includes(name) && !isNeedless(name))
      throw usage(`the URL of the target has the unknown parameter ${name}`)
  const parameter = (name: string) => searchParams.get(name) ?? undefined
  const host = parameter('host') ?? decodeURIComponent(hostname.replace(/^\[(.*)\]$/, '$1'))
  const database = decodeURIComponent(pathname.slice(1))
  if (database === '') throw usage('the URL of the target has no database name')
  const server: Server = {
    kind,
    host: host === '' ? 'localhost' : host,
    port: Number(parameter('port') ?? (port || usualPorts[kind])),
    user: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    database,
    ...readTls(parameter),
    options: parameter('options'),
  }
  if (server.sslmode === 'verify-full' && isIP(server.host) !== 0)
    throw usage('sslmode=verify-full requires the host name of the database server, not its IP address')
  return server
}

function readTls(parameter: (name: string) => string | undefined): Pick<Server, 'sslmode' | 'certificates'> {
  const [root, cert, key] = ['sslrootcert', 'sslcert', 'sslkey'].map(parameter)
  const mode = parameter('sslmode') ?? (root === 'system' ? 'verify-full' : 'prefer')
  const sslmode = sslmodes.find((name) => name === mode)
  if (sslmode === undefined) throw usage(`sslmode must be one of ${sslmodes.join(', ')}`)
  // libpq requires full verification if the system's authorities are used.
  if (root === 'system' && sslmode !== 'verify-full')
    throw usage('sslrootcert=system requires sslmode=verify-full')
  return {
    // In libpq, `require` verifies the certificate if authorities are given.
    sslmode: sslmode === 'require' && root !== undefined ? 'verify-ca' : sslmode,
    certificates: {
      ca: root === 'system' ? undefined : root && readText(root),
      cert: cert && readText(cert),
      key: key && readText(key),
    },
  }
}

/** Returns the TLS options for both drivers. Only the MySQL driver uses `verifyIdentity`. */
export const tlsOptions = ({ sslmode, certificates }: Server) => ({
  ...certificates,
  rejectUnauthorized: sslmode.startsWith('verify'),
  verifyIdentity: sslmode === 'verify-full',
  ...(sslmode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
})

/** Returns the content of a text file. @throws Failure if it cannot be read */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw usage(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`)
  }
}

import type { Server, SessionTarget } from './hosts.ts'

const defaultPort = 5432

/** A database URL for the driver, with only the first host, and the other parts of the original URL. */
interface ParsedUrl {
  url: string
  servers: Server[]
  /** Required kind of server, or null to accept any kind, which is possible only with a single host. */
  target: SessionTarget | null
}

/**
 * Parses a URL such as `postgres://user:password@h1:5432,h2:5433/database`. Returns null if the URL is
 * invalid. A percent-encoded path in place of hosts is the directory of a Unix socket. @see
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
 */
export function parseDatabaseUrl(text: string): ParsedUrl | null {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]+)(.*)$/s.exec(text)
  if (parts === null) return null
  const [, before, list, after] = parts as unknown as [string, string, string, string]
  const path = parseSocket(list)
  const servers: (Server | null)[] = path === null ? list.split(',').map(parseHost) : [{ path }]
  const url = `${before}${path === null ? list.split(',')[0] : 'localhost'}${after.replace(attributes, '$1')}`
  if (!servers.every((server) => server !== null) || !URL.canParse(url)) return null
  const target = attributes.exec(after)?.[2] ?? (servers.length > 1 ? 'read-write' : null)
  return target === null || isTarget(target) ? { url, servers, target } : null
}

const attributes = /([?&])target_session_attrs=([^&#]*)&?/

const isTarget = (text: string): text is SessionTarget => text === 'read-write' || text === 'primary'

/** Returns the Unix socket in a directory such as `%2Frun%2Fpostgresql`, or null for other text. */
function parseSocket(text: string): string | null {
  const [, directory, digits] = /^(%2f[^:,]*)(?::(\d+))?$/i.exec(text) ?? []
  const port = readPort(digits)
  if (directory === undefined || port === null) return null
  try {
    return socketPath(decodeURIComponent(directory), port)
  } catch {
    return null
  }
}

/** Returns the path of PostgreSQL's Unix socket in this directory. */
export const socketPath = (directory: string, port: number) => `${directory}/.s.PGSQL.${port}`

function parseHost(text: string): Server | null {
  const parts = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]%]+))(?::(\d+))?$/.exec(text)
  const port = readPort(parts?.[3])
  return parts === null || port === null ? null : { host: parts[1] ?? parts[2]!, port }
}

function readPort(digits: string | undefined): number | null {
  const port = Number(digits ?? defaultPort)
  return port >= 1 && port <= 65_535 ? port : null
}

/** Formats the URL's hosts for a message: `h1:5432, h2:5433`, or the path of a Unix socket. */
export function hostsText(url: string): string {
  const servers = parseDatabaseUrl(url)?.servers ?? []
  return servers.map(serverText).join(', ')
}

function serverText(server: Server): string {
  if ('path' in server) return server.path
  return server.host.includes(':') ? `[${server.host}]:${server.port}` : `${server.host}:${server.port}`
}

/** The default port of PostgreSQL. */
const defaultPort = 5432

/** A database URL as the driver takes it: with its first host, and all hosts in their order beside it. */
interface ParsedUrl {
  url: string
  host: string[]
  port: number[]
  /** The Unix socket, when the host is a directory; null over TCP. */
  socket: string | null
}

/**
 * Returns the hosts and ports of a URL such as `postgres://user:password@h1:5432,h2:5433/database`, or null
 * when it is invalid. A percent-encoded absolute path is a Unix socket directory.
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
 */
export function parseDatabaseUrl(text: string): ParsedUrl | null {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]+)(.*)$/s.exec(text)
  if (parts === null) return null
  const [, before, list, after] = parts as unknown as [string, string, string, string]
  const socket = parseSocket(list)
  if (socket !== null) {
    const url = `${before}localhost${after}`
    return URL.canParse(url) ? { url, host: ['localhost'], port: [defaultPort], socket } : null
  }
  const hosts = list.split(',').map(parseHost)
  if (!hosts.every((host) => host !== null)) return null
  const url = `${before}${list.split(',')[0]}${after}`
  if (!URL.canParse(url)) return null
  return { url, host: hosts.map(({ host }) => host), port: hosts.map(({ port }) => port), socket: null }
}

/** Returns the Unix socket in a directory such as `%2Frun%2Fpostgresql`; null unless it is one. */
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

function parseHost(text: string): { host: string; port: number } | null {
  const parts = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]%]+))(?::(\d+))?$/.exec(text)
  const port = readPort(parts?.[3])
  return parts === null || port === null ? null : { host: parts[1] ?? parts[2]!, port }
}

function readPort(digits: string | undefined): number | null {
  const port = Number(digits ?? defaultPort)
  return port >= 1 && port <= 65_535 ? port : null
}

/** Returns where the URL leads, for a message: `h1:5432, h2:5433`, or the path of a Unix socket. */
export function hostsText(url: string): string {
  const { host, port, socket } = parseDatabaseUrl(url) ?? { host: [], port: [], socket: null }
  if (socket !== null) return socket
  return host
    .map((name, at) => (name.includes(':') ? `[${name}]:${port[at]}` : `${name}:${port[at]}`))
    .join(', ')
}

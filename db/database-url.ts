/** The default port of PostgreSQL. */
const defaultPort = 5432

/** A database URL as the driver takes it: with its first host, and all hosts in their order beside it. */
interface ParsedUrl {
  url: string
  host: string[]
  port: number[]
}

/**
 * Returns the hosts of a URL such as `postgres://user:password@h1:5432,h2:5433/database`, where each has a port
 * of its own. Returns null unless it is one.
 */
export function parseDatabaseUrl(text: string): ParsedUrl | null {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]+)(.*)$/s.exec(text)
  if (parts === null) return null
  const [, before, list, after] = parts as unknown as [string, string, string, string]
  const hosts = list.split(',').map(parseHost)
  if (!hosts.every((host) => host !== null)) return null
  const url = `${before}${list.split(',')[0]}${after}`
  if (!URL.canParse(url)) return null
  return { url, host: hosts.map(({ host }) => host), port: hosts.map(({ port }) => port) }
}

function parseHost(text: string): { host: string; port: number } | null {
  const parts = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(text)
  if (parts === null) return null
  const port = Number(parts[3] ?? defaultPort)
  return port >= 1 && port <= 65_535 ? { host: parts[1] ?? parts[2]!, port } : null
}

/** Returns where the URL leads, for a message: `h1:5432, h2:5433`. */
export function hostsText(url: string): string {
  const { host, port } = parseDatabaseUrl(url) ?? { host: [], port: [] }
  return host
    .map((name, at) => (name.includes(':') ? `[${name}]:${port[at]}` : `${name}:${port[at]}`))
    .join(', ')
}

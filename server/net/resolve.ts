import { Resolver } from 'node:dns/promises'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'

/** Returns all IP addresses of a host name. Rejects if the name does not resolve. */
export type Resolve = (hostname: string) => Promise<string[]>

/** Hosts file and name servers to use. Defaults to the system's configuration. */
interface ResolvePlaces {
  servers?: readonly string[]
  hostsPath?: string
}

/**
 * Returns a resolver that reads the hosts file, then queries the name servers for at most `timeoutMs`.
 * Concurrent calls for a name share a lookup, and search domains are ignored. Use this resolver for every
 * name that others choose: with a silent server, getaddrinfo would block one of the process's four threads
 * for 10 seconds or more.
 */
export function systemResolve(
  timeoutMs: number,
  { servers, hostsPath = '/etc/hosts' }: ResolvePlaces = {},
): Resolve {
  const readHosts = followHosts(hostsPath)
  const pending = new Map<string, Promise<string[]>>()
  const lookUp = (name: string) => {
    const known = pending.get(name)
    if (known !== undefined) return known
    const lookup = askServers(name, timeoutMs, servers).finally(() => pending.delete(name))
    pending.set(name, lookup)
    return lookup
  }

  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    const hosts = readHosts()
    const listed = hosts.get(name)
    if (listed !== undefined) return [...listed]
    // RFC 6761, section 6.3, forbids querying name servers for localhost.
    if (/(?:^|\.)localhost$/.test(name)) return [...(hosts.get('localhost') ?? ['127.0.0.1'])]
    // RFC 6761, section 6.5, reserves these names for documentation. The demo uses them, and must not send
    // queries.
    if (/(?:^|\.)example$/.test(name)) throw failure('ENOTFOUND', `${hostname} leads nowhere`)
    return [...(await lookUp(name))]
  }
}

/** Parses a hosts file (hosts(5)). Returns the IP addresses of each name. */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of new Set(names.map((each) => each.toLowerCase().replace(/\.$/, ''))))
      hosts.set(name, [...(hosts.get(name) ?? []), address])
  }
  return hosts
}

/**
 * Returns a reader of the hosts file that parses the file again when it changes. A missing file has no hosts.
 */
function followHosts(path: string): () => Map<string, string[]> {
  let hosts = new Map<string, string[]>()
  let version = ''
  return () => {
    // Synchronous, because it takes microseconds, and a thread might be blocked by other lookups.
    const found = statSync(path, { throwIfNoEntry: false })
    const current = found === undefined ? '' : [found.ino, found.size, found.mtimeMs].join(' ')
    if (current !== version) {
      hosts = current === '' ? new Map() : parseHosts(readFileSync(path, 'utf8'))
      version = current
    }
    return hosts
  }
}

const failure = (code: string, message: string) => Object.assign(new Error(message), { code })

const missing = new Set(['ENOTFOUND', 'ENODATA'])
const unanswered = new Set(['ETIMEOUT', 'ECANCELLED'])

/**
 * Queries name servers for at most `timeoutMs`. Returns the IP addresses.
 * @throws Error with a `code` if there are none
 */
async function askServers(
  name: string,
  timeoutMs: number,
  servers: readonly string[] | undefined,
): Promise<string[]> {
  // Each lookup has its own resolver, so that it can be cancelled separately and uses the current name
  // servers.
  const resolver = new Resolver({ timeout: 1000, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  const timer = setTimeout(() => resolver.cancel(), timeoutMs)
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  clearTimeout(timer)
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  if (addresses.length > 0) return addresses
  const codes = results.map((result) =>
    String(result.status === 'rejected' && (result.reason as { code?: string }).code),
  )
  if (codes.some((code) => unanswered.has(code)))
    throw failure('ETIMEOUT', `${name} was not resolved within ${timeoutMs} ms`)
  const code = codes.find((found) => !missing.has(found)) ?? 'ENOTFOUND'
  throw failure(code, `${name} does not resolve: ${code}`)
}

import { Resolver } from 'node:dns/promises'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'

/** Returns every IP address of a host name; rejects if the name does not resolve. */
export type Resolve = (hostname: string) => Promise<string[]>

/** Name servers to query; defaults to the system's configuration. */
interface ResolvePlaces {
  servers?: readonly string[]
  hostsPath?: string
}

/**
 * Returns a resolver that reads the hosts file, then queries the name servers for at most `timeoutMs`. Concurrent calls
 * for a name share a lookup; search domains are ignored. Use it for every name that others choose, because a silent
 * server blocks getaddrinfo, and one of the process's four threads, for 10 seconds or more.
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
    // RFC 6761, section 6.3: never queried from a name server.
    if (/(?:^|\.)localhost$/.test(name)) return [...(hosts.get('localhost') ?? ['127.0.0.1'])]
    // RFC 6761, section 6.5: reserved for documentation, and used by the demo, which must not send queries.
    if (/(?:^|\.)example$/.test(name)) throw failure('ENOTFOUND', `${hostname} leads nowhere`)
    return [...(await lookUp(name))]
  }
}

/** Returns the IP addresses of each name in the text of a hosts file, hosts(5). */
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
 * Returns a reader of the hosts file, which is parsed again when it changes; without the file, there are no
 * hosts.
 */
function followHosts(path: string): () => Map<string, string[]> {
  let hosts = new Map<string, string[]>()
  let version = ''
  return () => {
    // A few microseconds, and without a thread, which other lookups may block.
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
 * Returns the IP addresses that name servers return within `timeoutMs`.
 * @throws Error with a `code` if there are none
 */
async function askServers(
  name: string,
  timeoutMs: number,
  servers: readonly string[] | undefined,
): Promise<string[]> {
  // A resolver for each lookup: it can be cancelled separately, and uses the current name servers.
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

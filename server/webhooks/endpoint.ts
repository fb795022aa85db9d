import { isIP } from 'node:net'
import { type IpRanges, ipAddressProblem, parseCidrs } from '../net/ip-address.ts'
import type { Resolve } from '../net/resolve.ts'

const urlMaxLength = 2048

/** Exceptions that the operator allows to the rule of https and public addresses. */
export interface EndpointRules {
  allowHttp: boolean
  allowed: IpRanges
}

/**
 * Returns the problem with a URL, or null. The problem is the end of a sentence ("must be an https URL"),
 * except for a URL that contains an IP address: then it is one or more full sentences beginning with the
 * address. Never reveals the IP address behind a host name. Rejects text that the WHATWG parser would
 * silently repair, because the URL is stored as entered. Accepts names that do not resolve, because each
 * delivery checks the URL again.
 */
export async function urlProblem(
  url: string,
  rules: EndpointRules,
  resolve: Resolve,
): Promise<string | null> {
  const misspelled = spellingProblem(url, rules.allowHttp)
  if (misspelled !== null) return misspelled
  const hostname = URL.parse(url)?.hostname
  if (!hostname) return 'must be a valid URL'
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) === 0) return nameProblem(hostname, rules, resolve)
  return ipAddressProblem(literal, rules.allowed) === null
    ? null
    : `${hostname} is ${isPrivate(literal) ? 'a private' : 'a reserved'} address. Use a public one`
}

const privateRanges = parseCidrs(
  '10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.168.0.0/16, ::1, fc00::/7, fe80::/10',
)

/** Returns true if the IP address is reachable only from within its own network. */
const isPrivate = (address: string) => ipAddressProblem(address, privateRanges) === null

function spellingProblem(url: string, allowHttp: boolean): string | null {
  if (url.length > urlMaxLength) return `must have at most ${urlMaxLength} characters`
  // The parser drops tabs, line feeds, surrounding spaces and, in host names, soft hyphens and zero-width
  // characters.
  if (/[\s\p{Cc}\p{Cf}\p{Cs}]/u.test(url)) return 'must not contain spaces or invisible characters'
  // The parser also accepts "https:host", "https:///host" and, with backslashes instead of slashes,
  // "https:\\host".
  const authority = (allowHttp ? /^https?:\/\/([^/?#]+)/i : /^https:\/\/([^/?#]+)/i).exec(url)?.[1]
  if (authority === undefined) return `must be an ${allowHttp ? 'http or https' : 'https'} URL`
  if (url.includes('\\')) return 'must not contain a backslash'
  // The parser reports no user for "https://@host" and no fragment for "https://host#".
  if (authority.includes('@')) return 'must not contain a user name or password'
  if (url.includes('#')) return 'must not contain a fragment (#)'
  return null
}

async function nameProblem(hostname: string, rules: EndpointRules, resolve: Resolve): Promise<string | null> {
  // An empty label never resolves, and would hide the .local in "host.local..".
  if (/^\.|\.\./.test(hostname)) return 'must have a valid host name'
  const addresses = await resolve(hostname).catch(() => [])
  const inside = addresses.some((address) => ipAddressProblem(address, rules.allowed) !== null)
  const suffix = localSuffix.exec(hostname)?.[1]
  // Returns the same response whether or not the name exists, so as not to reveal internal names.
  if (suffix !== undefined) {
    const isOpen = suffix === 'localhost' ? allowsLoopback(rules) : addresses.length > 0
    return isOpen && !inside ? null : 'must not be a name under .internal, .local or .localhost'
  }
  return inside ? 'resolves to an IP address outside the public internet' : null
}

// RFC 6762 (.local), ICANN's reservation of .internal, and RFC 6761 (.localhost). The trailing dot only marks
// the DNS root.
const localSuffix = /(?:^|\.)(internal|local|localhost)\.?$/

/**
 * Returns true if the operator allows loopback, which includes every name under .localhost (RFC 6761, section
 * 6.3).
 */
const allowsLoopback = ({ allowed }: EndpointRules) =>
  ['127.0.0.1', '::1'].some((address) => ipAddressProblem(address, allowed) === null)

import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { type IpRanges, UndeliverableError, ipAddressProblem } from './ip-address.ts'
import type { Resolve } from './resolve.ts'

export interface ConnectLimits {
  timeoutMs(): number
  signal: AbortSignal
}

const outside = 'the address leads outside the public internet'

/** Returns a connector that checks the IP address on every connection and connects to the checked address. */
export function makeSafeConnect(
  { allowed }: { allowed: IpRanges },
  resolve: Resolve,
  { timeoutMs, signal }: ConnectLimits,
): buildConnector.connector {
  const lookup: LookupFunction = (hostname, { all }, answer) => {
    resolveAllowed(hostname, resolve, allowed).then(
      (found) => (all ? answer(null, found) : answer(null, found[0]?.address ?? '', found[0]?.family)),
      (error: Error) => answer(error, []),
    )
  }

  return function connect(target, answer) {
    // A literal IP address is never looked up, so it is checked here.
    if (isIP(target.hostname) !== 0 && ipAddressProblem(target.hostname, allowed) !== null) {
      queueMicrotask(() => answer(new UndeliverableError(outside), null))
      return
    }
    const open = buildConnector({
      lookup,
      allowH2: false,
      // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect.
      rejectUnauthorized: true,
      // Disabled, because a resumed session skips the host name check.
      maxCachedSessions: 0,
      timeout: timeoutMs(),
      signal,
    })
    open(target, answer)
  }
}

/**
 * Returns the allowed IP addresses of a name.
 * @throws UndeliverableError if one of them is not allowed, or there is none
 */
async function resolveAllowed(hostname: string, resolve: Resolve, allowed: IpRanges) {
  const addresses = await resolve(hostname).catch(() => [])
  if (addresses.length === 0) throw new UndeliverableError('the name does not resolve')
  if (addresses.some((address) => ipAddressProblem(address, allowed) !== null))
    throw new UndeliverableError(outside)
  return addresses.map((address) => ({ address, family: isIP(address) }))
}

/**
 * Parses a URL and checks its scheme and credentials.
 * @throws UndeliverableError if requests must not go there
 */
export function checkedUrl(url: string, { allowHttp }: { allowHttp: boolean }): URL {
  const parsed = URL.parse(url)
  if (parsed === null) throw new UndeliverableError('the URL is not a valid URL')
  if (parsed.protocol !== 'https:' && !(allowHttp && parsed.protocol === 'http:')) {
    throw new UndeliverableError(`the URL is not ${allowHttp ? 'http or https' : 'https'}`)
  }
  if (parsed.username !== '' || parsed.password !== '')
    throw new UndeliverableError('the URL contains a user name or password')
  return parsed
}

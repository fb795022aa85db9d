import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'
import { parseCidrs, ipAddressProblem } from '../net/ip-address.ts'

/** The client that sent a request. */
export interface Client {
  /** The IP address; null if unknown. */
  address: string | null
  /** The `User-Agent` header, possibly truncated. */
  agent: string
}

/** The client of calls that originate in this process. */
export const noClient: Client = { address: null, agent: '' }

const ipAddressHeader = 'x-client-address'
const agentMax = 500
const nothing = parseCidrs('')

/** Caches the results of `isPublic`. */
const publicPeers = new LRUCache<string, boolean>({ max: 1000 })

/** Returns true for an IP address on the public internet. Proxies are expected to have private addresses. */
export function isPublic(address: string): boolean {
  let known = publicPeers.get(address)
  if (known === undefined) publicPeers.set(address, (known = ipAddressProblem(address, nothing) === null))
  return known
}

/** Removes the prefix of an IPv4-mapped IPv6 address. */
export const peerAddress = (peer: string) => peer.replace(/^::ffff:(\d+\.)/, '$1')

/**
 * Returns the client's IP address. Trusts the last entry of `X-Forwarded-For` only from peers in a private
 * network.
 */
export function clientIpAddress(peer: string | undefined, forwardedFor: string | undefined): string | null {
  const address = peer === undefined ? null : peerAddress(peer)
  if (address === null || isPublic(address)) return address
  const forwarded = forwardedFor?.split(',').at(-1)?.trim() ?? ''
  return isIP(forwarded) === 0 ? address : forwarded
}

/** Returns the client of a request. */
export function clientOf({ socket, headers }: IncomingMessage): Client {
  const forwarded = headers['x-forwarded-for']
  return {
    address: clientIpAddress(
      socket.remoteAddress,
      Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
    ),
    agent: agentOf(headers['user-agent']),
  }
}

/**
 * Stores the client's IP address in our own header, and truncates `User-Agent`, because Next.js matches that
 * header with a regular expression that takes more than linear time.
 */
export function markClient(request: IncomingMessage): void {
  const { address, agent } = clientOf(request)
  delete request.headers[ipAddressHeader]
  if (address !== null) request.headers[ipAddressHeader] = address
  if (request.headers['user-agent'] !== undefined) request.headers['user-agent'] = agent
}

/** Returns the client of a request that `markClient` has marked; `header` reads a request header. */
export function requestClient(header: (name: string) => string | null | undefined): Client {
  return { address: header(ipAddressHeader) ?? null, agent: agentOf(header('user-agent')) }
}

const agentOf = (header: string | null | undefined) => (header ?? '').slice(0, agentMax)

import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { parseCidrs, ipAddressProblem } from '../webhooks/endpoints/ip-address.ts'

/** Where a request comes from. */
export interface Client {
  /** Null when it is not known. */
  address: string | null
  /** What the client calls itself, cut to a length that can be kept. */
  agent: string
}

/** Nobody in particular, as when the process asks itself. */
export const noClient: Client = { address: null, agent: '' }

const ipAddressHeader = 'x-client-address'
const agentMax = 500
const nothing = parseCidrs('')

/**
 * Returns the network address that a request comes from. A connection from within, which is that of a proxy,
 * is believed what it says last in `X-Forwarded-For`; what a client on the public internet says there counts
 * for nothing.
 */
export function clientIpAddress(peer: string | undefined, forwardedFor: string | undefined): string | null {
  const address = peer?.replace(/^::ffff:(\d+\.)/, '$1') ?? null
  if (address === null || ipAddressProblem(address, nothing) === null) return address
  const told = forwardedFor?.split(',').at(-1)?.trim() ?? ''
  return isIP(told) === 0 ? address : told
}

/**
 * Notes the client's address where those who answer the request find it, over what the client may have put there, and cuts
 * what it calls itself: Next looks for crawlers in that, with an expression that is not linear.
 */
export function markClient(request: IncomingMessage): void {
  const forwarded = request.headers['x-forwarded-for']
  const address = clientIpAddress(
    request.socket.remoteAddress,
    Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
  )
  delete request.headers[ipAddressHeader]
  if (address !== null) request.headers[ipAddressHeader] = address
  if (request.headers['user-agent'] !== undefined)
    request.headers['user-agent'] = request.headers['user-agent'].slice(0, agentMax)
}

/**
 * Returns the client of a request that came through the front door; `header` gives the value of a header
 * field.
 */
export function clientOf(header: (name: string) => string | null | undefined): Client {
  return { address: header(ipAddressHeader) ?? null, agent: (header('user-agent') ?? '').slice(0, agentMax) }
}

import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { withTimeout } from '../../admission/with-timeout.ts'
import { UndeliverableError } from '../../net/ip-address.ts'
import { checkedUrl } from '../../net/safe-connect.ts'
import type { EndpointRules } from '../endpoints/endpoint.ts'
import { certificateFaultOf, explainFailure } from './request-failure.ts'

/** The result of connecting to a URL without sending a request. */
export interface Contact {
  /** The part that failed: the IP address, the connection, or the certificate. Null on success. */
  stoppedBy: 'address' | 'connection' | 'certificate' | null
  /** Description of the failure for a partner's admin, or null on success. */
  error: string | null
  /** Expiry of the certificate, or null if there is no valid certificate. */
  certifiedUntil: Date | null
}

/** Opens one connection to a URL without sending anything. Never rejects. */
export async function contactUrl(
  connect: buildConnector.connector,
  rules: EndpointRules,
  url: string,
  timeoutMs: number,
): Promise<Contact> {
  return withTimeout(connectOnce(connect, rules, url), timeoutMs, () => ({
    stoppedBy: 'connection',
    error: `no connection within ${timeoutMs} ms`,
    certifiedUntil: null,
  }))
}

async function connectOnce(
  connect: buildConnector.connector,
  rules: EndpointRules,
  url: string,
): Promise<Contact> {
  try {
    const socket = await openSocket(connect, checkedUrl(url, rules))
    const certifiedUntil = socket instanceof TLSSocket ? socket.getPeerX509Certificate()!.validToDate : null
    socket.destroy()
    return { stoppedBy: null, error: null, certifiedUntil }
  } catch (error) {
    return { stoppedBy: stoppedBy(error), error: explainFailure(error, false), certifiedUntil: null }
  }
}

/** Opens a connection that is not reused. */
function openSocket(
  connect: buildConnector.connector,
  { protocol, host, hostname, port }: URL,
): Promise<Socket> {
  // An IPv6 address without brackets, which is what the agent passes.
  const target = { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port }
  return new Promise((end, fail) =>
    connect(target, (error, socket) => (error === null ? end(socket) : fail(error))),
  )
}

function stoppedBy(error: unknown): Contact['stoppedBy'] {
  if (error instanceof UndeliverableError) return 'address'
  return certificateFaultOf(error) === undefined ? 'connection' : 'certificate'
}

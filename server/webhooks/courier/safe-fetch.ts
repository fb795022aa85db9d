import { isIP, type LookupFunction, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import type { EndpointRules, Resolve } from '../endpoints/endpoint.ts'
import { ipAddressProblem } from '../endpoints/ip-address.ts'
import { Unsendable, certificateFaultOf, explainFailure } from './request-failure.ts'

const responseLimit = 16 * 1024
const headerLinesLimit = 4096

/** The result of one request. */
export interface Answer {
  /** HTTP status, or null when there was no response. */
  status: number | null
  /**
   * Why there was no complete response, as text for a partner's admin; null when there was one, whatever its
   * status.
   */
  error: string | null
  /** Whether the total deadline ended it. */
  timedOut: boolean
  /** Whole milliseconds from the call to the response. */
  durationMs: number
  /** Header lines as received, 'name: value' joined by '\n', at most 4,096 bytes of them. */
  responseHeaders: string
  /**
   * The body, at most 16 KiB together with `responseHeaders`, never decompressed. Bytes that are not UTF-8
   * and NUL characters, which PostgreSQL rejects in text, become U+FFFD.
   */
  responseBody: string
  /** The Retry-After header as received, or null. */
  retryAfter: string | null
}

/** The result of connecting to a URL without a request. */
export interface Contact {
  /** What failed: the IP address, the connection or the certificate; null when nothing did. */
  stoppedBy: 'address' | 'connection' | 'certificate' | null
  /** The same as text for a partner's admin. */
  error: string | null
  /** Expiry of the certificate; null without a valid one. */
  certifiedUntil: Date | null
}

/** The only way by which webhooks are sent. */
export interface SafeFetch {
  /**
   * Sends one POST to a URL whose IP address is checked at every connect. Follows no redirect; never rejects.
   * @param timeoutMs total time for resolving, connecting, sending and the whole response, in milliseconds
   */
  post(url: string, headers: Record<string, string>, body: Buffer, timeoutMs: number): Promise<Answer>
  /** Opens one connection to a URL, by the same rules, and sends nothing over it; never rejects. */
  contact(url: string, timeoutMs: number): Promise<Contact>
  /** Aborts requests in progress and closes all connections; aborted and later posts return an error. */
  close(): Promise<void>
}

interface Received {
  status: number | null
  headerLines: string
  retryAfter: string | null
  chunks: Buffer[]
  /** How many bytes of the body are stored. */
  room: number
}

const outside = 'the address leads outside the public internet'

/**
 * Returns a `SafeFetch` for the operator's rules. Connections are kept alive and reused; `resolve` is called
 * for each new one.
 * @param rules whether http is allowed, and which ranges beyond the public internet
 */
export function makeSafeFetch(rules: EndpointRules, resolve: Resolve): SafeFetch {
  const closing = new AbortController()
  let longestMs = 0

  async function allowedIpAddresses(hostname: string) {
    const addresses = await resolve(hostname).catch(() => [])
    if (addresses.length === 0) throw new Unsendable('the name does not resolve')
    if (addresses.some((address) => ipAddressProblem(address, rules.allowed) !== null))
      throw new Unsendable(outside)
    return addresses.map((address) => ({ address, family: isIP(address) }))
  }

  const lookup: LookupFunction = (hostname, { all }, answer) => {
    allowedIpAddresses(hostname).then(
      (found) => (all ? answer(null, found) : answer(null, found[0]?.address ?? '', found[0]?.family)),
      (error: Error) => answer(error, []),
    )
  }

  function connect(target: buildConnector.Options, answer: buildConnector.Callback): void {
    // A literal IP address never reaches the lookup.
    if (isIP(target.hostname) !== 0 && ipAddressProblem(target.hostname, rules.allowed) !== null) {
      queueMicrotask(() => answer(new Unsendable(outside), null))
      return
    }
    const open = buildConnector({
      lookup,
      allowH2: false,
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 changes nothing.
      rejectUnauthorized: true,
      // A resumed session skips the check of the host name.
      maxCachedSessions: 0,
      // undici cannot abort a connect along with its request: this ends it soon after the deadline, never
      // before.
      timeout: longestMs + 1000,
      signal: closing.signal,
    })
    open(target, answer)
  }

  // The deadline of a post is the only time limit; undici's own count idle time or parts of it.
  const agent = new Agent({
    connect,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: responseLimit,
  })

  async function exchange(
    received: Received,
    url: string,
    headers: Record<string, string>,
    body: Buffer,
    signal: AbortSignal,
  ) {
    try {
      const { origin, pathname, search } = checkedUrl(url, rules.allowHttp)
      const path = pathname + search
      const answer = await agent.request({
        origin,
        path,
        method: 'POST',
        headers,
        body,
        signal,
        responseHeaders: 'raw',
      })
      readHeaders(received, answer.headers as unknown as string[])
      received.status = answer.statusCode
      let size = 0
      for await (const chunk of answer.body) {
        received.chunks.push(chunk)
        size += chunk.length
        // Leaving the loop closes the connection.
        if (size > received.room) break
      }
      return null
    } catch (error) {
      return explainFailure(error, received.status !== null)
    }
  }

  /** Opens a connection of its own, which is not reused. */
  function open(url: string): Promise<Socket> {
    const { protocol, host, hostname, port } = checkedUrl(url, rules.allowHttp)
    // A literal IPv6 address without its brackets, as the agent passes it.
    return new Promise((end, fail) =>
      connect({ protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port }, (error, socket) =>
        error === null ? end(socket) : fail(error),
      ),
    )
  }

  return {
    async post(url, headers, body, timeoutMs) {
      const started = performance.now()
      longestMs = Math.max(longestMs, timeoutMs)
      const received: Received = {
        status: null,
        headerLines: '',
        retryAfter: null,
        chunks: [],
        room: responseLimit,
      }
      const deadline = new AbortController()
      let timedOut = false
      // The signal has no effect before the connection exists, so the wait is ended separately.
      const late = new Promise<string>((end) => {
        deadline.signal.onabort = () => end(`no complete answer within ${timeoutMs} ms`)
      })
      const timer = setTimeout(() => {
        timedOut = true
        deadline.abort()
      }, timeoutMs)
      const error = await Promise.race([late, exchange(received, url, headers, body, deadline.signal)])
      clearTimeout(timer)
      return {
        status: received.status,
        error,
        timedOut,
        durationMs: Math.round(performance.now() - started),
        responseHeaders: received.headerLines,
        responseBody: readBody(received),
        retryAfter: received.retryAfter,
      }
    },
    async contact(url, timeoutMs) {
      longestMs = Math.max(longestMs, timeoutMs)
      const { promise: late, resolve: end } = Promise.withResolvers<Contact>()
      const timer = setTimeout(
        () =>
          end({
            stoppedBy: 'connection',
            error: `no connection within ${timeoutMs} ms`,
            certifiedUntil: null,
          }),
        timeoutMs,
      )
      const contact = Promise.try(open, url)
        .then((socket): Contact => {
          const certifiedUntil =
            socket instanceof TLSSocket ? socket.getPeerX509Certificate()!.validToDate : null
          socket.destroy()
          return { stoppedBy: null, error: null, certifiedUntil }
        })
        .catch((error): Contact => {
          const stoppedBy =
            error instanceof Unsendable
              ? 'address'
              : certificateFaultOf(error) === undefined
                ? 'connection'
                : 'certificate'
          return { stoppedBy, error: explainFailure(error, false), certifiedUntil: null }
        })
      return Promise.race([late, contact]).finally(() => clearTimeout(timer))
    },
    async close() {
      await agent.destroy()
      closing.abort()
    },
  }
}

function checkedUrl(url: string, allowHttp: boolean): URL {
  const parsed = URL.parse(url)
  if (parsed === null) throw new Unsendable('the address is not a valid URL')
  if (parsed.protocol !== 'https:' && !(allowHttp && parsed.protocol === 'http:')) {
    throw new Unsendable(`the address is not ${allowHttp ? 'http or https' : 'https'}`)
  }
  if (parsed.username !== '' || parsed.password !== '')
    throw new Unsendable('the address contains a user name or password')
  return parsed
}

function readHeaders(received: Received, raw: string[]): void {
  const lines: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    lines.push(`${raw[i]}: ${raw[i + 1]}`)
    if (raw[i]?.toLowerCase() === 'retry-after') received.retryAfter ??= raw[i + 1] ?? null
  }
  received.headerLines = clip(lines.join('\n'), headerLinesLimit)
  received.room = responseLimit - Buffer.byteLength(received.headerLines)
}

function readBody({ chunks, room }: Received): string {
  const bytes = Buffer.concat(chunks)
  // A replacement is longer than what it replaces, hence the second truncation.
  return clip(decode(bytes.subarray(0, room), bytes.length > room).replaceAll('\0', '\ufffd'), room)
}

function clip(text: string, limit: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= limit ? text : decode(bytes.subarray(0, limit), true)
}

/** Decodes UTF-8; a character split by truncation is left out. */
function decode(bytes: Buffer, cut: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut })
}

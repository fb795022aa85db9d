import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { type buildConnector, Agent, type Dispatcher } from 'undici'
import { withTimeout } from '../admission/scheduling.ts'
import { UndeliverableError } from '../net/ip-address.ts'
import type { Resolve } from '../net/resolve.ts'
import { checkedUrl, makeSafeConnect } from '../net/safe-connect.ts'
import type { EndpointRules } from './endpoint.ts'
import { certificateFaultOf, explainFailure } from './request-failure.ts'

const responseLimit = 16 * 1024
const headerLinesLimit = 4096

// The deadline of a request is its only time limit. undici's own timeouts cover only idle time or individual
// phases.
const agentOptions = { allowH2: false, headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: responseLimit }

export interface Answer {
  status: number | null
  /**
   * Reason for the lack of a complete response, for the partner's admins. Null if the response was complete,
   * regardless of its status.
   */
  error: string | null
  timedOut: boolean
  /** Whole milliseconds from the call to the response. */
  durationMs: number
  /** Header lines as received, 'name: value' joined by '\n', limited to 4,096 bytes. */
  responseHeaders: string
  /**
   * Body, never decompressed, and limited to 16 KiB together with `responseHeaders`. Invalid UTF-8, and NUL
   * characters, which PostgreSQL rejects in text, become U+FFFD.
   */
  responseBody: string
  retryAfter: string | null
}

/** The only way to send webhooks. */
export interface SafeFetch {
  /**
   * Sends one POST to a URL, checking the IP address on every connect. Does not follow redirects. Never
   * rejects.
   * @param timeoutMs total time in milliseconds for resolving, connecting, sending, and the whole response
   * @param mayBegin called once connected, right before the first byte is sent; if false, nothing is sent
   */
  post(
    url: string,
    headers: Record<string, string>,
    body: Buffer,
    timeoutMs: number,
    mayBegin?: () => boolean,
  ): Promise<Answer>
  /** Opens one connection to a URL under the same rules without sending anything. Never rejects. */
  contact(url: string, timeoutMs: number): Promise<Contact>
  /** Aborts requests in progress and closes all connections. Aborted and later requests return an error. */
  close(): Promise<void>
}

interface Received {
  status: number | null
  headerLines: string
  retryAfter: string | null
  chunks: Buffer[]
  room: number
}

/**
 * Returns a `SafeFetch` for the operator's rules. Connections are kept alive and reused. Each new connection
 * calls `resolve`.
 * @param rules whether http is allowed, and which address ranges besides the public internet
 */
export function makeSafeFetch(rules: EndpointRules, resolve: Resolve): SafeFetch {
  const closing = new AbortController()
  let longestMs = 0
  const connect = makeSafeConnect(rules, resolve, {
    // undici does not abort a connection attempt together with its request, so this timeout ends the attempt
    // soon after the deadline.
    timeoutMs: () => longestMs + 1000,
    signal: closing.signal,
  })
  const agent = new Agent({ connect, ...agentOptions })

  return {
    post(url, headers, body, timeoutMs, mayBegin = () => true) {
      longestMs = Math.max(longestMs, timeoutMs)
      return send(timeoutMs, mayBegin, (handler) => {
        const { origin, pathname, search } = checkedUrl(url, rules)
        agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, handler)
      })
    },
    contact(url, timeoutMs) {
      longestMs = Math.max(longestMs, timeoutMs)
      return withTimeout(connectOnce(connect, rules, url), timeoutMs, () => ({
        stoppedBy: 'connection' as const,
        error: `no connection within ${timeoutMs} ms`,
        certifiedUntil: null,
      }))
    },
    async close() {
      await agent.destroy()
      closing.abort()
    },
  }
}

/** Sends one request by `dispatch`, and ends it at the deadline. */
async function send(
  timeoutMs: number,
  mayBegin: () => boolean,
  dispatch: (handler: Dispatcher.DispatchHandler) => void,
): Promise<Answer> {
  const startedAt = performance.now()
  const received: Received = {
    status: null,
    headerLines: '',
    retryAfter: null,
    chunks: [],
    room: responseLimit,
  }
  const { promise: done, resolve } = Promise.withResolvers<string | null>()
  const deadline = { isMissed: false, abort: () => {} }
  const timer = setTimeout(() => {
    deadline.isMissed = true
    resolve(`no complete answer within ${timeoutMs} ms`)
    deadline.abort()
  }, timeoutMs)
  const end = (error: unknown) =>
    resolve(error === null ? null : explainFailure(error, received.status !== null))
  try {
    dispatch(receive(received, deadline, mayBegin, end))
  } catch (error) {
    end(error)
  }
  const error = await done
  clearTimeout(timer)
  return {
    status: received.status,
    error,
    timedOut: deadline.isMissed,
    durationMs: Math.round(performance.now() - startedAt),
    responseHeaders: received.headerLines,
    responseBody: readBody(received),
    retryAfter: received.retryAfter,
  }
}

/**
 * Returns a handler that reads the response into `received`, then calls `end` with null or the failure. Avoids
 * streams and signals, which would take a third of a request's time.
 */
function receive(
  received: Received,
  deadline: { isMissed: boolean; abort: () => void },
  mayBegin: () => boolean,
  end: (error: unknown) => void,
): Dispatcher.DispatchHandler {
  let size = 0
  return {
    onRequestStart(controller) {
      const abort = () => controller.abort(new Error('missed its deadline'))
      if (deadline.isMissed) abort()
      else if (mayBegin()) deadline.abort = abort
      else controller.abort(new UndeliverableError('sending was stopped'))
    },
    onResponseStart(controller, status) {
      // Skips interim responses (1xx).
      if (status < 200) return
      readHeaders(received, controller.rawHeaders as Buffer[])
      received.status = status
    },
    onResponseData(controller, chunk) {
      received.chunks.push(chunk)
      size += chunk.length
      if (size <= received.room) return
      end(null)
      // Aborting closes the connection.
      controller.abort(new Error('read enough'))
    },
    onResponseEnd: () => end(null),
    onResponseError: (_controller, error) => end(error),
  }
}

function readHeaders(received: Received, bytes: Buffer[]): void {
  const raw = bytes.map((each) => each.toString('latin1'))
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
  // Truncates again, because a replacement character is longer than the bytes it replaces.
  return clip(decode(bytes.subarray(0, room), bytes.length > room).replaceAll('\0', '\ufffd'), room)
}

function clip(text: string, limit: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= limit ? text : decode(bytes.subarray(0, limit), true)
}

/** Decodes UTF-8, omitting a character that was split by truncation. */
function decode(bytes: Buffer, cut: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut })
}

/** The result of connecting to a URL without sending a request. */
export interface Contact {
  /** The part that failed: the IP address, the connection, or the certificate. Null on success. */
  stoppedBy: 'address' | 'connection' | 'certificate' | null
  error: string | null
  certifiedUntil: Date | null
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

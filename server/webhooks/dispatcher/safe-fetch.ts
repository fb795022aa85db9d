import { Agent, type Dispatcher } from 'undici'
import { UndeliverableError } from '../../net/ip-address.ts'
import type { Resolve } from '../../net/resolve.ts'
import { checkedUrl, makeSafeConnect } from '../../net/safe-connect.ts'
import type { EndpointRules } from '../endpoints/endpoint.ts'
import { type Contact, contactUrl } from './contact.ts'
import { explainFailure } from './request-failure.ts'

const responseLimit = 16 * 1024
const headerLinesLimit = 4096

// The deadline of a post is the only time limit; undici's own timeouts only cover idle time or parts of it.
const agentOptions = { allowH2: false, headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: responseLimit }

/** The result of one request. */
export interface Answer {
  /** HTTP status, or null without a response. */
  status: number | null
  /** Why there was no complete response, for the partner's admins; null with one, of any status. */
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

/** The only way to send webhooks. */
export interface SafeFetch {
  /**
   * Sends one POST to a URL whose IP address is checked at every connect. Follows no redirect; never rejects.
   * @param timeoutMs total time for resolving, connecting, sending and the whole response, in milliseconds
   * @param mayBegin called once connected, when the first byte is about to be sent: false sends nothing
   */
  post(
    url: string,
    headers: Record<string, string>,
    body: Buffer,
    timeoutMs: number,
    mayBegin?: () => boolean,
  ): Promise<Answer>
  /** Opens one connection to a URL by the same rules, and sends nothing over it; never rejects. */
  contact(url: string, timeoutMs: number): Promise<Contact>
  /** Aborts requests in progress and closes all connections; aborted and later posts return an error. */
  close(): Promise<void>
}

interface Received {
  status: number | null
  headerLines: string
  retryAfter: string | null
  chunks: Buffer[]
  /** Maximum bytes of the body to store. */
  room: number
}

const nothingReceived = (): Received => ({
  status: null,
  headerLines: '',
  retryAfter: null,
  chunks: [],
  room: responseLimit,
})

/**
 * Returns a `SafeFetch` for the operator's rules. Connections are kept alive and reused; `resolve` is called
 * for each new one.
 * @param rules whether http is allowed, and which ranges beyond the public internet
 */
export function makeSafeFetch(rules: EndpointRules, resolve: Resolve): SafeFetch {
  const closing = new AbortController()
  let longestMs = 0
  const connect = makeSafeConnect(rules, resolve, {
    // undici does not abort a connect with its request. This ends it soon after the deadline.
    timeoutMs: () => longestMs + 1000,
    signal: closing.signal,
  })
  const agent = new Agent({ connect, ...agentOptions })

  return {
    async post(url, headers, body, timeoutMs, mayBegin = () => true) {
      const startedAt = performance.now()
      longestMs = Math.max(longestMs, timeoutMs)
      const received = nothingReceived()
      const deadline = startDeadline(timeoutMs)
      const { handler, done, fail } = receive(received, deadline, mayBegin)
      try {
        const { origin, pathname, search } = checkedUrl(url, rules)
        agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, handler)
      } catch (error) {
        fail(error)
      }
      const error = await Promise.race([deadline.missed, done])
      clearTimeout(deadline.timer)
      return {
        status: received.status,
        error,
        timedOut: deadline.isMissed(),
        durationMs: Math.round(performance.now() - startedAt),
        responseHeaders: received.headerLines,
        responseBody: readBody(received),
        retryAfter: received.retryAfter,
      }
    },
    contact(url, timeoutMs) {
      longestMs = Math.max(longestMs, timeoutMs)
      return contactUrl(connect, rules, url, timeoutMs)
    },
    async close() {
      await agent.destroy()
      closing.abort()
    },
  }
}

/** The time limit of a request. */
interface Deadline {
  /** Resolves with the error when it passes. */
  missed: Promise<string>
  isMissed: () => boolean
  /** Ends the request; set once there is one. */
  abort: () => void
  timer: NodeJS.Timeout
}

function startDeadline(timeoutMs: number): Deadline {
  let isMissed = false
  const { promise: missed, resolve } = Promise.withResolvers<string>()
  const pass = () => {
    isMissed = true
    resolve(`no complete answer within ${timeoutMs} ms`)
    deadline.abort()
  }
  const deadline: Deadline = {
    missed,
    isMissed: () => isMissed,
    abort: () => {},
    timer: setTimeout(pass, timeoutMs),
  }
  return deadline
}

/**
 * Returns a handler that reads the response into `received`, then calls back with null or the failure. Avoids
 * a stream and a signal, which take a third of a request's time.
 */
function receive(received: Received, deadline: Deadline, mayBegin: () => boolean) {
  const { promise: done, resolve } = Promise.withResolvers<string | null>()
  const fail = (error: unknown) => resolve(explainFailure(error, received.status !== null))
  let size = 0
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      const abort = () => controller.abort(new Error('missed its deadline'))
      if (deadline.isMissed()) abort()
      else if (mayBegin()) deadline.abort = abort
      else controller.abort(new UndeliverableError('sending was stopped'))
    },
    onResponseStart(controller, status) {
      // Interim responses (1xx) come first.
      if (status < 200) return
      readHeaders(received, controller.rawHeaders as Buffer[])
      received.status = status
    },
    onResponseData(controller, chunk) {
      received.chunks.push(chunk)
      size += chunk.length
      if (size <= received.room) return
      resolve(null)
      // Aborting closes the connection.
      controller.abort(new Error('read enough'))
    },
    onResponseEnd: () => resolve(null),
    onResponseError: (_controller, error) => fail(error),
  }
  return { handler, done, fail }
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
  // A replacement character is longer than the bytes it replaces, hence the second truncation.
  return clip(decode(bytes.subarray(0, room), bytes.length > room).replaceAll('\0', '\ufffd'), room)
}

function clip(text: string, limit: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= limit ? text : decode(bytes.subarray(0, limit), true)
}

/** Decodes UTF-8, without a character split by truncation. */
function decode(bytes: Buffer, cut: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut })
}

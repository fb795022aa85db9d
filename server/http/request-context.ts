import { randomUUID } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { callerOfClient } from '../access/actor.ts'
import { clientOf } from '../access/client.ts'
import { RequestWork } from '../admission/slots.ts'
import { api } from '../api.ts'
import type { RequestSpan } from '../programs/traces.ts'
import type { Services } from '../runtime/services.ts'
import { tokenPrefix } from '../tokens/policy.ts'

/**
 * How long a client may read the response before the connection is closed because the request body was not
 * read.
 */
const graceMs = 1000

/** A group of routes, as used in logs and metrics. */
export type RouteGroup = 'health' | 'document' | 'rest' | 'sheet' | 'file' | 'hint' | 'live' | 'portal'

/** A request, and its data for logs, metrics and traces. */
export class RequestContext {
  readonly requestId = randomUUID()
  readonly path: string
  /** The query without the question mark. */
  readonly search: string
  /** Headers to add to the response, whatever its status. */
  readonly headers: OutgoingHttpHeaders = { 'X-Request-Id': this.requestId }
  /** The name of the operation; undefined until it is known. */
  operation: string | undefined
  /** The token whose rate limit applies; null if unknown. */
  tokenId: number | null = null
  /** The request's work. Counts as anonymous until the request is admitted for its caller. */
  work: RequestWork
  readonly #services: Services
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #group: RouteGroup
  readonly #started = performance.now()
  readonly #counted: ((operation: string, status: number | null) => void) | undefined
  readonly #span: RequestSpan | undefined

  constructor(
    services: Services,
    request: IncomingMessage,
    response: ServerResponse,
    { path, search, group }: { path: string; search: string; group: RouteGroup },
  ) {
    this.#services = services
    this.#request = request
    this.#response = response
    this.path = path
    this.search = search
    this.#group = group
    this.work = new RequestWork(callerOfClient(clientOf(request)))
    // Streams last for hours and would distort the response times.
    if (group !== 'live') {
      this.#counted = services.metrics?.begin()
      this.#span = services.traces?.begin(request.method!, request.headers.traceparent?.toString())
    }
    response.on('close', () => this.#end())
  }

  /** True if the response has ended or the client has disconnected. */
  get isClosed(): boolean {
    return this.#response.closed
  }

  /** Runs the work in the request's trace span. */
  within(work: () => Promise<void>): Promise<void> {
    return this.#span === undefined ? work() : this.#span.within(work)
  }

  #end(): void {
    const { log, usage, hours } = this.#services
    const { statusCode, headersSent, writableFinished } = this.#response
    if (!writableFinished) {
      // If the client disconnects, changes are completed, but reads are cancelled.
      if (readMethods.has(this.#request.method!)) this.work.cancel()
      else this.work.abandon()
    }
    if (this.tokenId !== null) {
      usage.count(this.tokenId, statusCode)
      hours.request(statusCode)
    }
    log.info({
      requestId: this.requestId,
      method: this.#request.method,
      path: withoutSecrets(this.path),
      status: statusCode,
      ms: Math.round((performance.now() - this.#started) * 10) / 10,
      by: this.#group,
    })
    if (this.#counted !== undefined || this.#span !== undefined) {
      const done = this.operation ?? procedureAt(this.path) ?? this.#group
      const status = headersSent ? statusCode : null
      this.#counted?.(done, status)
      this.#span?.end(done, status)
    }
    cutBody(this.#request)
  }
}

const readMethods = new Set(['GET', 'HEAD'])

/**
 * Returns the procedure of a tRPC request, or `batch` for several procedures. Returns undefined for any other
 * path.
 */
function procedureAt(path: string): string | undefined {
  const names = /^\/api\/trpc\/(.+)$/.exec(path)?.[1]
  if (names === undefined || Object.hasOwn(api._def.procedures, names)) return names
  return names.includes(',') ? 'batch' : undefined
}

/** Minimum length of a word that may be a secret. */
const secretLength = 40

/** Returns a path for the log. Omits secrets, such as the token in a link. */
function withoutSecrets(path: string): string {
  if (path.length < secretLength && !path.startsWith('/files/') && !path.includes(tokenPrefix)) return path
  return path
    .replace(/^(\/files\/[\w-]*).*$/s, '$1')
    .split(tokenPrefix)
    .map((part, at) => (at === 0 ? part : part.replace(/^[0-9A-Za-z]+/, '…')))
    .join(tokenPrefix)
    .replaceAll(/[\w-]+/g, (word) => (word.length < secretLength ? word : '…'))
}

/** Pause between two reads of an unread body; multiplied by the number of unread bodies. */
const turnMs = 4
let unreadBodies = 0

/**
 * Closes the connection of an unread request body after a grace period. Until then, drains the body slowly,
 * so that a client that sends its entire body first still gets the response, with little delay for other
 * requests.
 */
function cutBody(request: IncomingMessage): void {
  const { socket } = request
  if (request.complete || socket.destroyed) return
  let timer: NodeJS.Timeout
  const wait = () => {
    socket.pause()
    timer = setTimeout(read, turnMs * unreadBodies)
  }
  const read = () => {
    socket.resume()
    timer = setTimeout(wait, 0)
  }
  const end = setTimeout(() => socket.destroy(), graceMs)
  unreadBodies++
  request.once('close', () => {
    unreadBodies--
    clearTimeout(end)
    clearTimeout(timer)
    socket.resume()
  })
  request.resume()
  wait()
}

/** The path of a request, and the query without the question mark. */
export interface Target {
  path: string
  search: string
}

/**
 * Parses a request target (RFC 9112, section 3.2). All handlers use this result, so that all see the same
 * path. Returns null unless the path is in normal form: no empty segments, no `.` or `..`, and no encoded
 * dots, slashes, backslashes, control characters, or percent signs that hide any of these.
 */
export function parseTarget(target: string): Target | null {
  if (target === '') return null
  const local = target.startsWith('/') ? target : target.replace(absolute, '')
  const mark = local.indexOf('?')
  const path = (mark < 0 ? local : local.slice(0, mark)) || '/'
  // Clients do not send fragments, but some parsers would end the query at a `#`.
  const search = mark < 0 ? '' : local.slice(mark + 1).replaceAll('#', '%23')
  return isNormal(path) ? { path, search } : null
}

/** The start of an absolute target, which is sent to proxies. */
const absolute = /^https?:\/\/[^/?#\\]+/i

// Matches a path in which control characters, spaces, backslashes and non-ASCII characters are encoded.
const segments = /^(?:\/(?:[!"$&-.0-;=@-Z[\]^_a-z{|}~]|%[0-9A-F]{2})+)*\/?$/i

const encodedSeparator = /%(?:2[ef]|5c|[01][0-9a-f]|7f|25(?:25|2[ef]|5c|00))/i

function isNormal(path: string): boolean {
  if (!segments.test(path) || /\/\.{1,2}(?:\/|$)/.test(path) || encodedSeparator.test(path)) return false
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

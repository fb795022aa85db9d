import { randomBytes, randomUUID } from 'node:crypto'
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
  createServer,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { sql } from 'drizzle-orm'
import { markClient } from '../access/client.ts'
import { untilClientLeaves } from '../accounts/sign-in/password.ts'
import { api } from '../api.ts'
import { download } from '../files/download.ts'
import { Refusal, statusOf, toRefusal, unavailable } from '../protocol/errors.ts'
import type { Services } from '../runtime/services.ts'
import { bodyMaxBytes } from './body.ts'
import { isSaturated } from './load.ts'
import { markPartner } from './page-partner.ts'
import { makeRateLimit } from './rate-limit.ts'
import { makeRest, splitTarget } from './rest.ts'
import { patience } from './streamed.ts'
import { refuseUnread } from './unread.ts'

const headerTimeoutMs = 10_000
const requestTimeoutMs = 15_000

type AnswerPage = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Answers a request, and may tell what operation it asks for. */
type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  tell: (operation: string) => void,
) => Promise<void>

/** Who answers a request; the name is for the log. */
interface Department {
  name: 'health' | 'document' | 'rest' | 'file' | 'portal'
  answer: Answer
}

/**
 * Returns the front door: every request comes in here, gets its id, and leaves one line in the log. `portal`
 * answers with pages.
 */
export function makeListener(services: Services, openApiJson: string, portal: AnswerPage): RequestListener {
  const { log, metrics, traces } = services
  const rest: Answer = timed(makeRest(services, makeRateLimit(services.config.rateLimitPerMinute)))
  const departments = {
    alive: {
      name: 'health',
      answer: async (_request, response) => sendJson(response, 200, '{"status":"alive"}'),
    },
    ready: { name: 'health', answer: (_request, response) => answerReady(services, response) },
    document: {
      name: 'document',
      answer: async (request, response) => sendDocument(request, response, openApiJson),
    },
    rest: { name: 'rest', answer: rest },
    file: { name: 'file', answer: (request, response) => download(services, request, response) },
    portal: {
      name: 'portal',
      answer: (request, response) => answerPage(services, portal, request, response),
    },
  } as const satisfies Record<string, Department>

  function departmentOf(path: string): Department {
    if (path === '/healthz') return departments.alive
    if (path === '/readyz') return departments.ready
    if (path === '/api/openapi.json') return departments.document
    if (path.startsWith('/files/')) return departments.file
    if ((path === '/api' || path.startsWith('/api/')) && !/^\/api\/(?:auth|trpc)\//.test(path))
      return departments.rest
    return departments.portal
  }

  // Those of REST whose answer is being made; one that is made and slowly read holds no connection to the database.
  let underway = 0
  return (request, response) => {
    const started = performance.now()
    const requestId = randomUUID()
    const { path, search } = splitTarget(request.url ?? '')
    markClient(request)
    // Whoever answers need not know of absolute addresses (RFC 9112, section 3.2.2).
    if (!request.url?.startsWith('/')) request.url = search === '' ? path : `${path}?${search}`
    const { name, answer } = departmentOf(path)
    let operation: string | undefined
    const counted = metrics?.begin()
    const span = traces?.begin(request.method!, request.headers.traceparent?.toString())
    response.setHeader('X-Request-Id', requestId)
    response.once('close', () => {
      log.info({
        requestId,
        method: request.method,
        path: withoutSecrets(path),
        status: response.statusCode,
        ms: Math.round((performance.now() - started) * 10) / 10,
        by: name,
      })
      if (counted !== undefined || span !== undefined) {
        const done = operation ?? procedureAt(path) ?? name
        const status = response.headersSent ? response.statusCode : null
        counted?.(done, status)
        span?.end(done, status)
      }
      cutBody(request)
    })
    const respond = () =>
      answer(request, response, (told) => {
        operation = told
      })
    if (name === 'rest') underway++
    const work =
      name !== 'health' && isSaturated(underway)
        ? Promise.reject(unavailable())
        : request.headers.host === undefined && request.httpVersion === '1.1'
          ? Promise.reject(notHttp())
          : (span?.within(respond) ?? respond())
    work
      .catch((error: unknown) => {
        const refusal = toRefusal(error)
        if (refusal.code === 'INTERNAL_SERVER_ERROR')
          log.error({ requestId, error: nameOf(error) }, 'request failed')
        sendRefusal(response, refusal)
      })
      .finally(() => {
        if (name === 'rest') underway--
      })
  }
}

/**
 * Returns a server that hands what is HTTP, and comes in time, to the listener, and cuts clients that read
 * nothing of their answer for `stalledMs`.
 */
export function makeServer(listener: RequestListener, stalledMs = patience.idleMs): Server {
  const server = createServer(
    {
      headersTimeout: headerTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 65_000,
      // Next listens for upgrades, but leaves those it does not know unanswered, and their sockets open when the process is to end.
      shouldUpgradeCallback: () => false,
      // Answered by the listener like any other, while Node itself would send no body and no id.
      requireHostHeader: false,
    },
    listener,
  )
  server.setTimeout(stalledMs)
  // What a client expects beyond 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', listener)
  server.on('connect', (_request, socket) =>
    refuseSocket(
      new Refusal('METHOD_NOT_ALLOWED', 'The method is not allowed here', {
        headers: { Allow: 'GET, HEAD, POST' },
      }),
      socket,
    ),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else refuseSocket(refusalOfSocket(error), socket)
  })
  return server
}

/**
 * Returns what a browser asks for by tRPC: the procedure; several at once are a batch. Undefined for all
 * else.
 */
function procedureAt(path: string): string | undefined {
  const names = /^\/api\/trpc\/(.+)$/.exec(path)?.[1]
  if (names === undefined || Object.hasOwn(api._def.procedures, names)) return names
  return names.includes(',') ? 'batch' : undefined
}

/**
 * Returns a path as it is logged: without what lets somebody in, such as the token of a link, or one that a
 * client has put there by mistake.
 */
function withoutSecrets(path: string): string {
  return path
    .replace(/^(\/files\/[\w-]*).*$/s, '$1')
    .replaceAll(/pd_[0-9A-Za-z]+/g, 'pd_…')
    .replaceAll(/[\w-]+/g, (word) => (word.length < 40 ? word : '…'))
}

/**
 * Returns what may be logged of an unforeseen error: never its message, which can carry a homeowner's data.
 */
function nameOf(error: unknown): { name: string; code?: unknown; stack?: string } {
  if (!(error instanceof Error)) return { name: typeof error }
  const cause = error.cause instanceof Error ? error.cause : error
  const frames = cause.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 8)
    .join('\n')
  return {
    name: cause.name,
    ...('code' in cause ? { code: cause.code } : {}),
    ...(frames === undefined ? {} : { stack: frames }),
  }
}

/** Gives up on an answer that takes too long, so that whoever waits can try again. */
function timed(answer: Answer): Answer {
  return async (request, response, tell) => {
    const { promise: late, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => reject(request.complete ? unavailable() : tooSlow()), requestTimeoutMs)
    try {
      await Promise.race([answer(request, response, tell), late])
    } finally {
      clearTimeout(timer)
    }
  }
}

async function answerReady(services: Services, response: ServerResponse): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(unavailable()), 2000)
  try {
    await Promise.race([services.db.execute(sql`select 1`), late])
    sendJson(response, 200, '{"status":"ready"}')
  } catch {
    throw unavailable()
  } finally {
    clearTimeout(timer)
  }
}

function sendDocument(request: IncomingMessage, response: ServerResponse, json: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new Refusal('METHOD_NOT_ALLOWED', 'The method is not allowed here', {
      headers: { Allow: 'GET, HEAD' },
    })
  }
  sendJson(response, 200, json)
}

const pageMethods = new Set(['GET', 'HEAD', 'POST'])

/** The largest body of a form or of a batch of inputs. */
const inputMaxBytes = 64 * 1024

/** Takes a slice of the file of an import, the one body that is larger. */
const slicePath = /^\/imports\/[^/]+\/content$/

async function answerPage(
  services: Services,
  portal: AnswerPage,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!pageMethods.has(request.method ?? '')) {
    throw new Refusal('METHOD_NOT_ALLOWED', 'The method is not allowed here', {
      headers: { Allow: 'GET, HEAD, POST' },
    })
  }
  const { path, search } = splitTarget(request.url ?? '')
  if (!isDecodable(path) || hasTooManyParameters(search))
    throw new Refusal('BAD_REQUEST', 'The address is not valid')
  // A body of unknown length cannot be cut here without reading it, and browsers always say the length.
  if (request.headers['transfer-encoding'] !== undefined)
    throw new Refusal('BAD_REQUEST', 'The request needs a Content-Length')
  const maxBytes = slicePath.test(path) ? bodyMaxBytes : inputMaxBytes
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    throw new Refusal('PAYLOAD_TOO_LARGE', 'The body is too large')
  // next-auth has a token of its own in each form, and providers may send people back by a form.
  if (request.method === 'POST' && !path.startsWith('/api/auth/')) requireOwnOrigin(services, request)
  markPartner(request, search)
  secure(services, request, response)
  const left = new AbortController()
  response.once('close', () => left.abort())
  const work = () => untilClientLeaves(left.signal, () => portal(request, response))
  await (request.method === 'POST' ? refuseUnread(response, work) : work())
}

/**
 * Lets in only what our own pages send: browsers send forms of other sites with our cookies too.
 * @throws Refusal 403
 */
function requireOwnOrigin({ config }: Services, { headers }: IncomingMessage): void {
  const publicUrl = new URL(config.publicUrl)
  const { origin } = headers
  if (
    origin === undefined ||
    ![publicUrl.origin, `${publicUrl.protocol}//${headers.host}`].includes(origin)
  ) {
    throw new Refusal('FORBIDDEN', 'This is only for the pages of this site')
  }
  // Next compares the origin with this header, which a proxy may have left out and a client may have made up, and answers 500.
  headers['x-forwarded-host'] = new URL(origin).host
}

/**
 * Returns what a browser may do with a page; Next reads from the request which nonce its scripts carry, so
 * that what a client sends there must not get through.
 */
function secure({ config }: Services, request: IncomingMessage, response: ServerResponse): void {
  const policy = contentSecurityPolicy(randomBytes(16).toString('base64'), config)
  request.headers['content-security-policy'] = policy
  response.setHeader('Content-Security-Policy', policy)
  for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value)
  if (config.publicUrl.startsWith('https:'))
    response.setHeader('Strict-Transport-Security', 'max-age=31536000')
}

const pageHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** Scripts that carry the nonce, and what these load, run; styles may stand in the page, because positions of menus and rows are written there. */
function contentSecurityPolicy(nonce: string, { oidc }: Services['config']): string {
  // A form that was sent before its scripts were there is answered with the way to the provider.
  const forms = oidc === null ? "'self'" : `'self' ${new URL(oidc.issuer).origin}`
  return [
    "default-src 'self'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action ${forms}`,
  ].join('; ')
}

/** The most parameters of an address that a page reads: a view names 200 values in each of four lists at most. */
const parametersMax = 1000

/** Returns whether a query has more parameters than that; Next takes time by the square of how many have one name. */
function hasTooManyParameters(search: string): boolean {
  return search.split('&', parametersMax + 1).length > parametersMax
}

function isDecodable(path: string): boolean {
  try {
    decodeURI(path)
    return true
  } catch {
    return false
  }
}

function sendJson(response: ServerResponse, status: number, json: string): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) })
    .end(json)
}

function refusalJson({ code, message, errors }: Refusal): string {
  return JSON.stringify({ code, message, errors })
}

function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) {
    // The answer is underway already: cutting it is the only way to say that it is not whole.
    response.destroy()
    return
  }
  for (const name of [
    'ETag',
    'Content-Encoding',
    'Content-Disposition',
    'Link',
    'Last-Modified',
    'Accept-Ranges',
  ])
    response.removeHeader(name)
  for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value)
  response.setHeader('Cache-Control', 'no-store')
  sendJson(response, statusOf[refusal.code], refusalJson(refusal))
}

/** Stops a body that nobody reads any more; the moment's grace lets the client see the answer first. */
function cutBody(request: IncomingMessage): void {
  if (request.complete || request.socket.destroyed) return
  request.resume()
  const timer = setTimeout(() => request.socket.destroy(), 1000)
  request.once('end', () => clearTimeout(timer))
}

const tooSlow = () =>
  new Refusal('REQUEST_TIMEOUT', 'The request did not arrive in time', { headers: { Connection: 'close' } })
const notHttp = () => new Refusal('BAD_REQUEST', 'This is not a valid HTTP request')

/**
 * Returns why a connection is refused on which something came that is not HTTP at all, has too large a head,
 * or came too slowly.
 */
function refusalOfSocket({ code }: NodeJS.ErrnoException): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow()
  return code === 'HPE_HEADER_OVERFLOW'
    ? new Refusal('BAD_REQUEST', 'The header of the request is too large')
    : notHttp()
}

/** Answers where there is no request to answer, and ends the connection. */
function refuseSocket(refusal: Refusal, socket: Duplex): void {
  // Node has taken its own listener off, and without one a reset would end the process.
  socket.on('error', () => {})
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const status = statusOf[refusal.code]
  const body = refusalJson(refusal)
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': randomUUID(),
    ...refusal.headers,
    Connection: 'close',
  }
  const head = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  // A client that does not end its side as well would hold the connection for ever; the moment's grace lets it see the answer.
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`, () =>
    setTimeout(() => socket.destroy(), 1000).unref(),
  )
}

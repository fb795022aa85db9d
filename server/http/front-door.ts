import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { sql } from 'drizzle-orm'
import { callerOfClient } from '../access/caller.ts'
import { clientOf, markClient } from '../access/client.ts'
import { download } from '../files/download.ts'
import { databaseProblem, errorName, methodNotAllowed, toApiError, unavailable } from '../protocol/errors.ts'
import { inTime } from '../protocol/in-time.ts'
import type { Services } from '../runtime/services.ts'
import { withinCaller } from './admit-request.ts'
import { sendJson, sendApiError, setHeaders } from './answer.ts'
import type { Live } from './live.ts'
import { type Portal, answerPage } from './pages.ts'
import { makeRateLimit } from './rate-limit.ts'
import { type RouteGroup, RequestContext } from './request-context.ts'
import { makeRest } from './rest.ts'
import { notHttp, requestTimeoutMs, tooSlow } from './server.ts'
import { answerHint } from './source-hint.ts'
import { splitTarget } from './target.ts'

const readyTimeoutMs = 2000

/** Whether the process was told to stop. */
export interface ShutdownState {
  isLeaving: boolean
}

/** Responds to a request. */
type Answer = (request: IncomingMessage, response: ServerResponse, exchange: RequestContext) => Promise<void>

/** Responds to part of the URLs; the name is for the log. */
interface Department {
  name: RouteGroup
  answer: Answer
}

/**
 * Returns the listener that every request passes: it assigns the request id and writes one log line for each.
 * `portal` responds with pages, `live` tells them of changes. While the process leaves, it is not ready, and each answer is
 * the last one on its connection.
 */
export function makeListener(
  services: Services,
  openApiJson: string,
  portal: Portal,
  live: Live,
  leaving: ShutdownState = { isLeaving: false },
): RequestListener {
  const departmentOf = makeDepartments(services, openApiJson, portal, live, leaving)
  return (request, response) => {
    const { path, search } = splitTarget(request.url ?? '')
    // The handlers need not know absolute targets (RFC 9112, section 3.2.2).
    if (!request.url?.startsWith('/')) request.url = search === '' ? path : `${path}?${search}`
    const { name, answer } = departmentOf(path)
    const exchange = new RequestContext(services, request, response, { path, search, name })
    // Closing it without a word would fail a request that is just on its way.
    if (leaving.isLeaving) exchange.headers.push('Connection', 'close')
    const begin = () => answer(request, response, exchange)
    const work = async (): Promise<void> => {
      if (request.headers.host === undefined && request.httpVersion === '1.1') throw notHttp()
      if (name !== 'rest') {
        markClient(request)
        setHeaders(response, exchange.headers)
      }
      await exchange.within(begin)
    }
    work().catch((error: unknown) => refuse(services, response, exchange, error))
  }
}

/** Refuses a request, and logs an error that nobody expected. */
function refuse({ log }: Services, response: ServerResponse, exchange: RequestContext, error: unknown): void {
  const { requestId } = exchange
  const refusal = toApiError(error)
  const problem = databaseProblem(error)
  if (problem !== null) log.error({ requestId }, problem)
  else if (refusal.code === 'INTERNAL_SERVER_ERROR')
    log.error({ requestId, error: nameOf(error) }, 'request failed')
  sendApiError(response, refusal, exchange.headers)
}

/** Returns who answers a path. */
function makeDepartments(
  services: Services,
  openApiJson: string,
  portal: Portal,
  live: Live,
  leaving: ShutdownState,
): (path: string) => Department {
  const rest: Answer = timed(
    makeRest(services, makeRateLimit(services.config.rateLimitPerMinute, services.rates)),
  )
  const departments = {
    alive: {
      name: 'health',
      answer: async (_request, response) => sendJson(response, 200, '{"status":"alive"}'),
    },
    ready: { name: 'health', answer: (_request, response) => answerReady(services, leaving, response) },
    document: {
      name: 'document',
      answer: async (request, response) => sendDocument(request, response, openApiJson),
    },
    rest: { name: 'rest', answer: rest },
    file: {
      name: 'file',
      answer: (request, response, exchange) =>
        withinCaller(exchange, callerOfClient(clientOf(request)), () =>
          download(services, request, response),
        ),
    },
    hint: {
      name: 'hint',
      answer: timed((request, response, exchange) => answerHint(services, request, response, exchange)),
    },
    live: { name: 'live', answer: (request, response) => live.answer(request, response) },
    portal: {
      name: 'portal',
      answer: (request, response, exchange) => answerPage(services, portal, request, response, exchange),
    },
  } as const satisfies Record<string, Department>

  return (path) => {
    if (path === '/healthz') return departments.alive
    if (path === '/readyz') return departments.ready
    if (path === '/api/openapi.json') return departments.document
    if (path.startsWith('/files/')) return departments.file
    if (path.startsWith('/hooks/')) return departments.hint
    if (path === '/live') return departments.live
    if ((path === '/api' || path.startsWith('/api/')) && !/^\/api\/(?:auth|trpc)\//.test(path))
      return departments.rest
    return departments.portal
  }
}

/**
 * Returns what may be logged of an unexpected error: never its message, which can contain a homeowner's data.
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
    name: errorName(cause),
    ...('code' in cause ? { code: cause.code } : {}),
    ...(frames === undefined ? {} : { stack: frames }),
  }
}

/** Ends a response that takes too long, so that the client can try again. */
function timed(answer: Answer): Answer {
  return (request, response, exchange) =>
    new Promise((resolve, reject) => {
      const late = () => {
        // Its slots are given on when the database has ended what it was asked.
        exchange.work?.cancel()
        reject(request.complete ? unavailable() : tooSlow())
      }
      const timer = setTimeout(late, requestTimeoutMs)
      answer(request, response, exchange).then(
        () => {
          clearTimeout(timer)
          resolve()
        },
        (error: unknown) => {
          clearTimeout(timer)
          reject(error)
        },
      )
    })
}

async function answerReady(
  services: Services,
  { isLeaving }: ShutdownState,
  response: ServerResponse,
): Promise<void> {
  if (isLeaving) throw unavailable()
  try {
    await inTime(services.db.execute(sql`select 1`), readyTimeoutMs, unavailable)
  } catch {
    throw unavailable()
  }
  sendJson(response, 200, '{"status":"ready"}')
}

function sendDocument(request: IncomingMessage, response: ServerResponse, json: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw methodNotAllowed('GET, HEAD')
  }
  sendJson(response, 200, json)
}

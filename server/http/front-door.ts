import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { sql } from 'drizzle-orm'
import { poolSize } from '#db/client.ts'
import { markClient } from '../access/client.ts'
import { api } from '../api.ts'
import { download } from '../files/download.ts'
import { Refusal, databaseProblem, toRefusal, unavailable } from '../protocol/errors.ts'
import { makeTurns, takeTurn } from '../protocol/turns.ts'
import type { Services } from '../runtime/services.ts'
import { tokenPrefix } from '../tokens/policy.ts'
import { sendJson, sendRefusal } from './answer.ts'
import type { Live } from './live.ts'
import { isSaturated } from './load.ts'
import { type Portal, answerPage } from './pages.ts'
import { makeRateLimit } from './rate-limit.ts'
import { makeRest, splitTarget } from './rest.ts'
import { notHttp, requestTimeoutMs, tooSlow } from './server.ts'
import { answerHint } from './source-hint.ts'

const readyTimeoutMs = 2000
/** How long a client may take to see the answer to a body that nobody reads. */
const graceMs = 1000

/**
 * How many requests of the REST interface a process works on, so that every database connection has its next one at
 * hand; and how many wait for their turn, for how long: who is refused hears of it within a second.
 */
const restTurns = { atOnce: poolSize * 32, waitingMax: 4000, waitMaxMs: 900 }

/** Whether the process was told to stop. */
export interface Leaving {
  isLeaving: boolean
}

/** Responds to a request and may report the name of its operation. */
type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  tell: (operation: string) => void,
) => Promise<void>

/** Responds to part of the URLs; the name is for the log. */
interface Department {
  name: 'health' | 'document' | 'rest' | 'file' | 'hint' | 'live' | 'portal'
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
  leaving: Leaving = { isLeaving: false },
): RequestListener {
  const departmentOf = makeDepartments(services, openApiJson, portal, live, leaving)
  // A burst is answered a little later rather than refused and sent again at once, which takes more time than it
  // saves. A response that is complete and read slowly holds no database connection, and no turn.
  const turns = makeTurns(restTurns)
  return (request, response) => {
    const requestId = randomUUID()
    const { path, search } = splitTarget(request.url ?? '')
    markClient(request)
    // The handlers need not know absolute targets (RFC 9112, section 3.2.2).
    if (!request.url?.startsWith('/')) request.url = search === '' ? path : `${path}?${search}`
    const { name, answer } = departmentOf(path)
    response.setHeader('X-Request-Id', requestId)
    // Closing it without a word would fail a request that is just on its way.
    if (leaving.isLeaving) response.setHeader('Connection', 'close')
    const { tell, within } = observe(services, request, response, { requestId, path, name })
    const work = async (): Promise<void> => {
      if (name !== 'health' && isSaturated()) throw unavailable()
      if (request.headers.host === undefined && request.httpVersion === '1.1') throw notHttp()
      const begin = () => within(() => answer(request, response, tell))
      if (name !== 'rest') return begin()
      // The client may have left while it waited.
      await takeTurn(turns, async () => (response.closed ? undefined : begin()), { refusal: unavailable })
    }
    work().catch((error: unknown) => {
      const refusal = toRefusal(error)
      const problem = databaseProblem(error)
      if (problem !== null) services.log.error({ requestId }, problem)
      else if (refusal.code === 'INTERNAL_SERVER_ERROR')
        services.log.error({ requestId, error: nameOf(error) }, 'request failed')
      sendRefusal(response, refusal)
    })
  }
}

/** Returns who answers a path. */
function makeDepartments(
  services: Services,
  openApiJson: string,
  portal: Portal,
  live: Live,
  leaving: Leaving,
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
    file: { name: 'file', answer: (request, response) => download(services, request, response) },
    hint: {
      name: 'hint',
      answer: timed((request, response) => answerHint(services, request, response)),
    },
    live: { name: 'live', answer: (request, response) => live.answer(request, response) },
    portal: {
      name: 'portal',
      answer: (request, response) => answerPage(services, portal, request, response),
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
 * Logs the request, counts it and traces it when its answer ends; `tell` says what operation it was, `within`
 * runs in its span.
 */
function observe(
  { log, metrics, traces }: Services,
  request: IncomingMessage,
  response: ServerResponse,
  { requestId, path, name }: { requestId: string; path: string; name: Department['name'] },
) {
  const started = performance.now()
  let operation: string | undefined
  // A stream lasts for hours, which says nothing of how long answers take.
  const isAnswer = name !== 'live'
  const counted = isAnswer ? metrics?.begin() : undefined
  const span = isAnswer ? traces?.begin(request.method!, request.headers.traceparent?.toString()) : undefined
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
  return {
    tell(told: string) {
      operation = told
    },
    within: <T>(work: () => Promise<T>): Promise<T> => span?.within(work) ?? work(),
  }
}

/** Returns the procedure of a tRPC request, or `batch` for several; undefined for any other path. */
function procedureAt(path: string): string | undefined {
  const names = /^\/api\/trpc\/(.+)$/.exec(path)?.[1]
  if (names === undefined || Object.hasOwn(api._def.procedures, names)) return names
  return names.includes(',') ? 'batch' : undefined
}

/**
 * Returns a path for the log, without secrets such as the token of a link or one that a client put there by
 * mistake.
 */
function withoutSecrets(path: string): string {
  return path
    .replace(/^(\/files\/[\w-]*).*$/s, '$1')
    .split(tokenPrefix)
    .map((part, at) => (at === 0 ? part : part.replace(/^[0-9A-Za-z]+/, '…')))
    .join(tokenPrefix)
    .replaceAll(/[\w-]+/g, (word) => (word.length < 40 ? word : '…'))
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
    name: cause.name,
    ...('code' in cause ? { code: cause.code } : {}),
    ...(frames === undefined ? {} : { stack: frames }),
  }
}

/** Ends a response that takes too long, so that the client can try again. */
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

async function answerReady(
  services: Services,
  { isLeaving }: Leaving,
  response: ServerResponse,
): Promise<void> {
  if (isLeaving) throw unavailable()
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(unavailable()), readyTimeoutMs)
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

/** Stops an unread body, after a moment in which the client can read the response. */
function cutBody(request: IncomingMessage): void {
  if (request.complete || request.socket.destroyed) return
  request.resume()
  const timer = setTimeout(() => request.socket.destroy(), graceMs)
  request.once('end', () => clearTimeout(timer))
}

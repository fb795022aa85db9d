import type { IncomingMessage, ServerResponse, RequestListener } from 'node:http'
import { sql } from 'drizzle-orm'
import { callerOfClient } from '../access/actor.ts'
import { clientOf, markClient } from '../access/client.ts'
import { makeRateLimit } from '../access/rate-limit.ts'
import { oneAtATime, withTimeout } from '../admission/scheduling.ts'
import { withinWork, outsideRequest } from '../admission/slots.ts'
import {
  notFound,
  ApiError,
  databaseProblem,
  errorName,
  methodNotAllowed,
  toApiError,
  unavailable,
} from '../errors.ts'
import { download, invalidFileUrl } from '../files/download.ts'
import { openUnsubscribeToken } from '../notifications/mailing-list.ts'
import { stopMail } from '../notifications/store.ts'
import type { Services } from '../runtime/services.ts'
import { sessionOfRequest, withinCaller } from './admit-request.ts'
import { sendJson, sendApiError, setHeaders } from './answer.ts'
import { waitMsOf } from './event-waits.ts'
import type { Live } from './live.ts'
import { type Portal, answerPage } from './pages.ts'
import { type RouteGroup, RequestContext, parseTarget } from './request-context.ts'
import { makeRest } from './rest.ts'
import { notHttp, requestTimeoutMs, tooSlow } from './server.ts'
import { isSheetPath, makeSheets } from './sheet.ts'
import { answerHint } from './source-hint.ts'
import { swaggerJson } from './swagger.ts'
import { UnreadAnswers } from './unread-answers.ts'

const readyTimeoutMs = 2000

/** Tells whether the process is shutting down. */
export interface ShutdownState {
  isShuttingDown: boolean
}

type Handler = (request: IncomingMessage, response: ServerResponse, context: RequestContext) => Promise<void>

interface Route {
  group: RouteGroup
  handle: Handler
}

/**
 * Returns the listener for all requests, which assigns request IDs and logs each request. During shutdown, it
 * reports that it is not ready, and closes each connection after the response.
 */
export function makeListener(
  services: Services,
  openApiJson: string,
  portal: Portal,
  live: Live,
  shutdown: ShutdownState = { isShuttingDown: false },
): RequestListener {
  const routeOf = makeRoutes(services, openApiJson, portal, live, shutdown)
  const unread = new UnreadAnswers()
  return (request, response) => {
    const url = request.url ?? ''
    const target = parseTarget(url)
    // Next.js parses the target again, and must arrive at the same path.
    if (target !== null && (!url.startsWith('/') || url.includes('#')))
      request.url = target.search === '' ? target.path : `${target.path}?${target.search}`
    // The path is logged, so it must not include the query, where secrets may occur.
    const { path, search } = target ?? { path: url.split('?', 1)[0]!, search: '' }
    const { group, handle } = target === null ? notNormal : routeOf(path)
    const context = new RequestContext(services, request, response, { path, search, group })
    unread.watch(response, group === 'portal', () => context.work.caller)
    // Without this announcement, closing the connection would fail a request that the client is just sending.
    if (shutdown.isShuttingDown) context.headers['Connection'] = 'close'
    const begin = () => handle(request, response, context)
    const work = async (): Promise<void> => {
      if (request.headers.host === undefined && request.httpVersion === '1.1') throw notHttp()
      if (group !== 'rest') {
        markClient(request)
        setHeaders(response, context.headers)
      }
      await context.within(begin)
    }
    // The request counts as anonymous until it is admitted for its caller.
    withinWork(context.work, work).catch((error: unknown) => refuse(services, response, context, error))
  }
}

/** Rejects a request whose path is not in normal form. */
const notNormal: Route = {
  group: 'portal',
  handle: async ({ method, url }) => {
    // `OPTIONS *` asks for the capabilities of the server as a whole.
    if (url === '*' && method === 'OPTIONS') throw methodNotAllowed('GET, HEAD, POST')
    // Returns the same error as for any other altered file URL.
    if (url?.startsWith('/files/')) throw invalidFileUrl()
    throw new ApiError('BAD_REQUEST', 'The URL is not valid', {
      errors: ['path: must be in normal form, without empty segments, . or .., encoded or not'],
    })
  },
}

/** Responds with an error, and logs the error if it is unexpected. */
function refuse({ log }: Services, response: ServerResponse, context: RequestContext, error: unknown): void {
  const { requestId } = context
  const refusal = toApiError(error)
  const problem = databaseProblem(error)
  if (problem !== null) log.error({ requestId }, problem)
  else if (refusal.code === 'INTERNAL_SERVER_ERROR')
    log.error({ requestId, error: nameOf(error) }, 'request failed')
  sendApiError(response, refusal, context.headers)
}

/** Returns the documents of the REST API by path. */
const documentsOf = (openApiJson: string): ReadonlyMap<string, string> =>
  new Map([
    ['/api/openapi.json', openApiJson],
    ['/api/swagger.json', swaggerJson(openApiJson)],
  ])

/** Runs work on behalf of an anonymous client. */
const ofClient = (request: IncomingMessage, context: RequestContext, work: () => Promise<void>) =>
  withinCaller(context, callerOfClient(clientOf(request)), work)

function makeRoutes(
  services: Services,
  openApiJson: string,
  portal: Portal,
  live: Live,
  shutdown: ShutdownState,
): (path: string) => Route {
  const rateLimit = makeRateLimit(services.config.rateLimitPerMinute, services.rates)
  const documents = documentsOf(openApiJson)
  const rest: Handler = timed(makeRest(services, rateLimit, live.waits), waitMsOf)
  // Callers share this statement, so it must not occupy the slot of any one caller.
  const isReady = oneAtATime(() =>
    outsideRequest(async () => void (await services.db.execute(sql`select 1`))),
  )
  const routes = {
    alive: {
      group: 'health',
      handle: async (_request, response) => sendJson(response, 200, '{"status":"alive"}'),
    },
    ready: { group: 'health', handle: (_request, response) => answerReady(isReady, shutdown, response) },
    document: {
      group: 'document',
      handle: async (request, response, { path }) => sendDocument(request, response, documents.get(path)!),
    },
    rest: { group: 'rest', handle: rest },
    sheet: { group: 'sheet', handle: makeSheets(services, rateLimit) },
    file: {
      group: 'file',
      handle: (request, response, context) =>
        ofClient(request, context, () =>
          download(services, request, response, () => sessionOfRequest(services, request)),
        ),
    },
    hint: {
      group: 'hint',
      handle: timed((request, response, context) => answerHint(services, request, response, context)),
    },
    live: { group: 'live', handle: live.answer },
    portal: {
      group: 'portal',
      handle: (request, response, context) =>
        isUnsubscribe(request)
          ? ofClient(request, context, () => answerUnsubscribe(services, context, response))
          : answerPage(services, portal, request, response, context),
    },
  } as const satisfies Record<string, Route>

  return (path) => {
    if (path === '/healthz') return routes.alive
    if (path === '/readyz') return routes.ready
    if (documents.has(path)) return routes.document
    if (isSheetPath(path)) return routes.sheet
    if (path.startsWith('/files/')) return routes.file
    if (path.startsWith('/hooks/')) return routes.hint
    if (path === '/live') return routes.live
    if ((path === '/api' || path.startsWith('/api/')) && !/^\/api\/(?:auth|trpc)\//.test(path))
      return routes.rest
    return routes.portal
  }
}

/**
 * Returns the parts of an unexpected error that may be logged. Excludes the message, which may contain
 * personal data.
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

/**
 * Ends responses that take too long, so that clients can retry. `extraMs` returns how long the client asked
 * to wait.
 */
function timed(handle: Handler, extraMs: (context: RequestContext) => number = () => 0): Handler {
  return (request, response, context) =>
    new Promise((resolve, reject) => {
      const late = () => {
        // Slots of the request are released when the database has ended the request's statements.
        context.work.cancel()
        reject(request.complete ? unavailable() : tooSlow())
      }
      const timer = setTimeout(late, requestTimeoutMs + extraMs(context))
      handle(request, response, context)
        .finally(() => clearTimeout(timer))
        .then(resolve, reject)
    })
}

async function answerReady(
  isReady: () => Promise<void>,
  { isShuttingDown }: ShutdownState,
  response: ServerResponse,
): Promise<void> {
  const ready = isReady().then(
    () => true,
    () => false,
  )
  if (isShuttingDown || !(await withTimeout(ready, readyTimeoutMs, () => false))) throw unavailable()
  sendJson(response, 200, '{"status":"ready"}')
}

function sendDocument(request: IncomingMessage, response: ServerResponse, json: string): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed('GET, HEAD')
  sendJson(response, 200, json)
}

/** Returns true for a POST to the unsubscribe link in an e-mail. */
const isUnsubscribe = ({ method, url }: IncomingMessage) =>
  method === 'POST' && url?.startsWith('/unsubscribe/') === true

/**
 * Stops mail to the user that a signed link belongs to. The page is redirected to show the result, but an
 * e-mail client (RFC 8058) is not.
 * @throws ApiError 404 if the link is altered or its user removed
 */
async function answerUnsubscribe(
  { db, encryptionKey }: Pick<Services, 'db' | 'encryptionKey'>,
  { path, search }: Pick<RequestContext, 'path' | 'search'>,
  response: ServerResponse,
): Promise<void> {
  const userId = openUnsubscribeToken(encryptionKey, path.slice('/unsubscribe/'.length))
  if (userId === null || !(await stopMail(db, userId))) throw notFound('Link')
  if (search === '')
    return void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('Unsubscribed\n')
  response.writeHead(303, { Location: path }).end()
}

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { callTRPCProcedure } from '@trpc/server'
import { type Actor, actorOfRequest, callerOf } from '../access/actor.ts'
import { clientOf } from '../access/client.ts'
import type { Context } from '../access/procedure.ts'
import type { RateLimit } from '../access/rate-limit.ts'
import { RequestWork } from '../admission/slots.ts'
import { unavailable } from '../errors.ts'
import { operations } from '../operations.ts'
import type { Services } from '../runtime/services.ts'
import { secondMs } from '../values/units.ts'
import { admitRequest, receiveBody } from './admit-request.ts'
import { readJsonBody } from './body.ts'
import { type EventWaits, waitForEvents, waitMsOf } from './event-waits.ts'
import { rejectMisspelledKeys, rejectMisspelledParameters, rejectUnknownParameters } from './known-names.ts'
import type { RequestContext } from './request-context.ts'
import { ResponseCache, codingOf, respondFromCache, ifNoneMatchOf, render, send } from './rest-answer.ts'
import { type Operation, finderOf, operationOf, readQuery, readRoutes } from './route.ts'

/** Maximum time that a request waits for a slot. */
const restWaitMs = 900

/**
 * Returns the handler for requests under `/api`, which calls procedures that have a REST operation. The order
 * of checks is part of the API contract: first the token, then the rate limit, the path, the method, and the
 * rest of the request.
 */
export function makeRest(services: Services, rateLimit: RateLimit, waits: EventWaits) {
  const findRoute = finderOf(readRoutes())
  const cache = new ResponseCache(services.config.pageCacheMb * 1024 * 1024)
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
  ): Promise<void> => {
    const { path, search, headers } = context
    const findActor = () => actorOfRequest(services, request.headers.authorization, clientOf(request))
    const actor = await findActor()
    context.tokenId = actor.tokenId
    await rateLimit(actor, headers)
    await addDataAsOfHeader(services, headers)
    const { operation, parameters } = operationOf(findRoute(path), request.method ?? '', path)
    context.operation = operation.name
    const ifNoneMatch = ifNoneMatchOf(request)
    const coding = codingOf(request)
    const mayCall = operation.scope !== undefined && actor.scopes.includes(operation.scope)
    const read = () => readInput(services, { operation, request, actor, search, parameters, mayCall })
    const waitMs = mayCall && request.method === 'GET' ? waitMsOf(context) : 0
    if (waitMs > 0) {
      const startedAt = performance.now()
      context.operation = `${operation.name} (wait)`
      const input = (await read()) as Record<string, unknown>
      const callShared = callDetached(services, operation, actor)
      const answer = await waitForEvents(waits, { actor, response, waitMs, input, coding, read: callShared })
      // The token may have been revoked since the first check.
      const { tenant } = await findActor()
      if (tenant !== actor.tenant) throw unavailable()
      countDown(headers, performance.now() - startedAt)
      await addDataAsOfHeader(services, headers)
      return send(response, headers, respondFromCache(answer, ifNoneMatch)!)
    }
    const key = { call: `${operation.name} ${path}?${search}`, tenant: actor.tenant, coding }
    const cached = mayCall ? respondFromCache(cache.find(key, actor.listRevision), ifNoneMatch) : undefined
    if (cached !== undefined) return send(response, headers, cached)
    const work = async () => {
      const input = await read()
      return admitRequest(services, context, callerOf(actor), restWaitMs, async () =>
        render(await call(operation, input, { services, actor, ifNoneMatch }), coding),
      )
    }
    const answer = await (services.traces?.call(operation.name, work) ?? work())
    cache.keep(key, answer)
    send(response, headers, answer)
  }
}

/** Returns a call that continues after its client disconnects, because other requests share the result. */
const callDetached =
  (services: Services, operation: Operation, actor: Actor) =>
  (input: unknown): Promise<unknown> => {
    const caller = callerOf(actor)
    const detached = { work: new RequestWork(caller), isClosed: false }
    return admitRequest(services, detached, caller, restWaitMs, () =>
      call(operation, input, { services, actor, ifNoneMatch: () => false }),
    )
  }

/** After a request has waited, updates the header with the number of seconds until the rate limit resets. */
function countDown(headers: OutgoingHttpHeaders, waitedMs: number): void {
  const seconds = Number(headers[resetHeader])
  if (seconds > 0) headers[resetHeader] = Math.max(0, Math.ceil(seconds - waitedMs / secondMs))
}

const resetHeader = 'X-RateLimit-Reset'

interface Call {
  operation: Operation
  request: IncomingMessage
  actor: Actor
  search: string
  parameters: Record<string, string>
  /**
   * True if the token has the required scope. If not, the procedure rejects the call, so the input is not
   * read.
   */
  mayCall: boolean
}

/**
 * Reads the input of an operation.
 * @throws ApiError 400, 413, 415, or 429 or 503 if too many bodies arrive at once
 */
async function readInput(
  { admission }: Services,
  { operation, request, actor, search, parameters, mayCall }: Call,
): Promise<unknown> {
  if (!mayCall) return undefined
  if (operation.isStrict) rejectUnknownParameters(search, operation.query)
  else rejectMisspelledParameters(search, operation.query)
  if (operation.method === 'POST') {
    const body = await receiveBody(admission.bodies, callerOf(actor), () => readJsonBody(request))
    rejectMisspelledKeys(body, operation.input)
    return body
  }
  const input = { ...readQuery(operation.query, search), ...parameters }
  return operation.query.length === 0 && Object.keys(input).length === 0 ? undefined : input
}

/** Adds the header that tells up to what time deals have been read from their sources. */
async function addDataAsOfHeader({ asOf }: Services, headers: OutgoingHttpHeaders): Promise<void> {
  const readAt = await asOf.get().catch(() => null)
  if (readAt !== null) headers['X-Data-As-Of'] = readAt.toISOString()
}

function call(operation: Operation, input: unknown, ctx: Context): Promise<unknown> {
  return callTRPCProcedure({
    router: operations,
    path: operation.name,
    type: operation.type,
    ctx,
    getRawInput: async () => input,
    signal: undefined,
    batchIndex: 0,
  })
}

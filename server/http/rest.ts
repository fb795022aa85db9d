import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { callTRPCProcedure } from '@trpc/server'
import { type Actor, actorOfRequest } from '../access/actor.ts'
import { callerOf } from '../access/caller.ts'
import { clientOf } from '../access/client.ts'
import type { Context } from '../access/procedure.ts'
import type { RateLimit } from '../access/rate-limit.ts'
import { api } from '../api.ts'
import type { Services } from '../runtime/services.ts'
import { admitRequest, receiveBody } from './admit-request.ts'
import { readJsonBody } from './body.ts'
import { rejectMisspelledKeys, rejectMisspelledParameters, rejectUnknownParameters } from './known-names.ts'
import type { RequestContext } from './request-context.ts'
import { ResponseCache } from './response-cache.ts'
import { codingOf, respondFromCache, ifNoneMatchOf, render, send } from './rest-answer.ts'
import { type Operation, finderOf, operationOf, readQuery, readRoutes } from './route.ts'

/** How long a request waits for a slot before it is rejected. */
const restWaitMs = 900

/**
 * Returns the handler of requests under `/api`, which calls the procedures that declare an operation there.
 * The order of checks is part of the contract: token, rate limit, path, method, then the rest of the request.
 * Errors are thrown to the front door, along with the name of the procedure.
 */
export function makeRest(services: Services, rateLimit: RateLimit) {
  const findRoute = finderOf(readRoutes())
  const cache = new ResponseCache(services.config.pageCacheMb * 1024 * 1024)
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
  ): Promise<void> => {
    const { path, search, headers } = context
    const actor = await actorOfRequest(services, request.headers.authorization, clientOf(request))
    context.tokenId = actor.tokenId
    await rateLimit(actor, headers)
    await addDataAsOfHeader(services, headers)
    const { operation, parameters } = operationOf(findRoute(path), request.method ?? '', path)
    context.operation = operation.name
    const ifNoneMatch = ifNoneMatchOf(request)
    const coding = codingOf(request)
    const mayCall = operation.scope !== undefined && actor.scopes.includes(operation.scope)
    const key = { call: `${operation.name} ${path}?${search}`, tenant: actor.tenant, coding }
    const cached = mayCall ? respondFromCache(cache.find(key, actor.listRevision), ifNoneMatch) : undefined
    if (cached !== undefined) {
      send(response, headers, cached)
      return
    }
    const work = async () => {
      const input = await readInput(services, { operation, request, actor, search, parameters, mayCall })
      return admitRequest(services, context, callerOf(actor), restWaitMs, async () =>
        render(await call(operation, input, { services, actor, ifNoneMatch }), coding),
      )
    }
    const answer = await (services.traces?.call(operation.name, work) ?? work())
    cache.keep(key, answer)
    send(response, headers, answer)
  }
}

/** A call of an operation. */
interface Call {
  operation: Operation
  request: IncomingMessage
  actor: Actor
  search: string
  parameters: Record<string, string>
  /** Whether the token has the scope; without it the procedure rejects the call before reading the input. */
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
  const given = { ...readQuery(operation.query, search), ...parameters }
  return operation.query.length === 0 && Object.keys(given).length === 0 ? undefined : given
}

/** Adds the header with the time up to which the sources of deals have been read, if there are any. */
async function addDataAsOfHeader({ asOf }: Services, headers: OutgoingHttpHeaders): Promise<void> {
  const readAt = await asOf.get().catch(() => null)
  if (readAt !== null) headers['X-Data-As-Of'] = readAt.toISOString()
}

function call(operation: Operation, input: unknown, ctx: Context): Promise<unknown> {
  return callTRPCProcedure({
    router: api,
    path: operation.name,
    type: operation.type,
    ctx,
    getRawInput: async () => input,
    signal: undefined,
    batchIndex: 0,
  })
}

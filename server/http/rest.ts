import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import { callTRPCProcedure } from '@trpc/server'
import { actorOfRequest } from '../access/actor.ts'
import { clientOf } from '../access/client.ts'
import type { Context } from '../access/procedure.ts'
import { api } from '../api.ts'
import type { Services } from '../runtime/services.ts'
import { readJsonBody } from './body.ts'
import type { Exchange } from './exchange.ts'
import { KeptPages } from './kept-pages.ts'
import type { RateLimit } from './rate-limit.ts'
import { codingOf, fitting, holdsOf, render, send } from './rest-answer.ts'
import { type Operation, finderOf, operationOf, readQuery, readRoutes } from './route.ts'

/**
 * Returns the handler of requests under `/api`, which calls the procedures that declare an operation there.
 * The order of checks is part of the contract: token, rate, path, method, then the rest of the request.
 * Errors are thrown to the front door, along with the name of the procedure.
 */
export function makeRest(services: Services, rateLimit: RateLimit) {
  const findRoute = finderOf(readRoutes())
  const kept = new KeptPages(services.config.pageCacheMb * 1024 * 1024)
  return async (request: IncomingMessage, response: ServerResponse, exchange: Exchange): Promise<void> => {
    const { path, search, headers } = exchange
    const actor = await actorOfRequest(services, request.headers.authorization, clientOf(request))
    exchange.tokenId = actor.tokenId
    // An answer that is kept waits for nothing but the token.
    const counting = rateLimit(actor, headers)
    if (counting !== undefined) await counting
    const telling = tellAsOf(services, headers)
    if (telling !== undefined) await telling
    const { operation, parameters } = operationOf(findRoute(path), request.method ?? '', path)
    exchange.operation = operation.name
    const holds = holdsOf(request)
    const coding = codingOf(request)
    const work = async () => {
      const readInput = inputOf(operation, request, search, parameters)
      return render(await call(operation, readInput, { services, actor, holds }), coding)
    }
    const mayRead = operation.scope !== undefined && actor.scopes.includes(operation.scope)
    const asked = { call: `${operation.name} ${path}?${search}`, reach: actor.reach, coding }
    const keptAnswer = mayRead ? fitting(kept.find(asked, actor.listRevision), holds) : undefined
    const answer = keptAnswer ?? (await (services.traces?.call(operation.name, work) ?? work()))
    if (keptAnswer === undefined) kept.keep(asked, answer)
    send(response, headers, answer)
  }
}

/**
 * Returns how the input of an operation is read, which the procedure does when it needs it: after the token's scope is
 * checked.
 */
function inputOf(
  operation: Operation,
  request: IncomingMessage,
  search: string,
  parameters: Record<string, string>,
): () => Promise<unknown> {
  if (operation.method === 'POST') return () => readJsonBody(request)
  return async () => {
    const given = { ...readQuery(operation.query, search), ...parameters }
    return operation.query.length === 0 && Object.keys(given).length === 0 ? undefined : given
  }
}

/** Says up to when the sources of deals have been read, if there are any. Returns a promise only when it has to wait. */
function tellAsOf({ asOf }: Services, headers: OutgoingHttpHeader[]): Promise<void> | undefined {
  const tell = (at: Date | null) => {
    if (at !== null) headers.push('X-Data-As-Of', at.toISOString())
  }
  const known = asOf.get()
  if (known instanceof Promise) return known.then(tell, () => {})
  tell(known)
  return undefined
}

function call(operation: Operation, readInput: () => Promise<unknown>, ctx: Context): Promise<unknown> {
  return callTRPCProcedure({
    router: api,
    path: operation.name,
    type: operation.type,
    ctx,
    getRawInput: readInput,
    signal: undefined,
    batchIndex: 0,
  })
}

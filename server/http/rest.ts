import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import { callTRPCProcedure } from '@trpc/server'
import Negotiator from 'negotiator'
import { forEachOpenApiProcedure } from 'trpc-to-openapi'
import type { ZodType } from 'zod'
import { type Actor, actorOfRequest } from '../access/actor.ts'
import { requestClient } from '../access/client.ts'
import type { Context } from '../access/procedure.ts'
import { api } from '../api.ts'
import { Refusal, notFound } from '../protocol/errors.ts'
import { stringifyJson } from '../protocol/int64.ts'
import { Prepared } from '../protocol/prepared.ts'
import type { Services } from '../runtime/services.ts'
import { readJsonBody } from './body.ts'
import type { RateLimit } from './rate-limit.ts'

interface Operation {
  /** Name of the procedure, such as `deals.list`. */
  name: string
  type: 'query' | 'mutation'
  method: string
  /** Names of its query parameters; others are ignored. */
  query: string[]
}

interface Route {
  /** The segments of the declared path; `{id}` is a parameter. */
  segments: string[]
  /** By method; GET also handles HEAD. */
  operations: Map<string, Operation>
}

/** Returns the routes that the procedures declare, those without parameters first. */
function readRoutes(): Route[] {
  const routes = new Map<string, Route>()
  forEachOpenApiProcedure(api._def.procedures, ({ path: name, type, procedure, meta }) => {
    const { method, path } = meta.openapi
    const [input] = procedure._def.inputs as [ZodType & { shape?: object }]
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    const query =
      method === 'GET' ? Object.keys(input.shape ?? {}).filter((key) => !inPath.includes(key)) : []
    const route = routes.get(path) ?? { segments: path.split('/'), operations: new Map() }
    route.operations.set(method, { name, type: type as Operation['type'], method, query })
    routes.set(path, route)
  })
  return [...routes]
    .toSorted(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(([, route]) => route)
}

/**
 * Returns the handler of requests under `/api`, which calls the procedures that declare an operation there.
 * The order of checks is part of the contract: token, rate, path, method, then the rest of the request.
 * Errors are thrown to the front door, along with the name of the procedure.
 */
export function makeRest(services: Services, rateLimit: RateLimit) {
  const routes = readRoutes()
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    tell: (operation: string) => void,
  ): Promise<void> => {
    const actor = await actorOfRequest(
      services,
      request.headers.authorization,
      requestClient((name) => request.headers[name]?.toString()),
    )
    response.once('close', () => services.usage.count(actor.tokenId, response.statusCode))
    await rateLimit(actor, response)
    const { path, search } = splitTarget(request.url ?? '')
    const { operation, parameters } = findOperation(routes, request.method ?? '', path)
    tell(operation.name)
    // Read when the procedure needs it, after the token's scope is checked.
    const readInput =
      operation.method === 'POST'
        ? () => readJsonBody(request)
        : async () => {
            const given = { ...readQuery(operation.query, search), ...parameters }
            return operation.query.length === 0 && Object.keys(given).length === 0 ? undefined : given
          }
    const work = () => call(operation, readInput, contextOf(services, actor, request))
    const answer = await (services.traces?.call(operation.name, work) ?? work())
    await sendAnswer(request, response, answer)
  }
}

/** Splits a request target, which may be absolute (RFC 9112, section 3.2), into path and query. */
export function splitTarget(target: string): { path: string; search: string } {
  const local = target.startsWith('/') ? target : target.replace(/^\w+:\/\/[^/?]*/, '')
  const mark = local.indexOf('?')
  const path = mark < 0 ? local : local.slice(0, mark)
  return { path: path || '/', search: mark < 0 ? '' : local.slice(mark + 1) }
}

function findOperation(
  routes: Route[],
  method: string,
  path: string,
): { operation: Operation; parameters: Record<string, string> } {
  const given = path.split('/')
  for (const { segments, operations } of routes) {
    if (!fits(segments, given)) continue
    const operation = operations.get(method === 'HEAD' ? 'GET' : method)
    if (operation !== undefined) return { operation, parameters: readParameters(segments, given) }
    const allowed = [...operations.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
    throw new Refusal('METHOD_NOT_ALLOWED', 'The method is not allowed here', {
      headers: { Allow: allowed.join(', ') },
    })
  }
  throw notFound('Path')
}

const isParameter = (segment: string) => segment.startsWith('{')

/** Returns whether a path matches the route; parameters must not be empty. */
function fits(segments: string[], given: string[]): boolean {
  return (
    segments.length === given.length &&
    segments.every((segment, index) =>
      isParameter(segment) ? given[index] !== '' : given[index] === segment,
    )
  )
}

function readParameters(segments: string[], given: string[]): Record<string, string> {
  return Object.fromEntries(
    segments.flatMap((segment, index) =>
      isParameter(segment) ? [[segment.slice(1, -1), decode(given[index]!)]] : [],
    ),
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Left undecoded it is not a valid id, and the input check reports that.
    return text
  }
}

/** Returns the known parameters of a query; a repeated one is an array. */
function readQuery(names: string[], search: string): Record<string, unknown> {
  if (search === '' || names.length === 0) return {}
  const given = new URLSearchParams(search)
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = given.getAll(name)
      return values.length === 0 ? [] : [[name, values.length === 1 ? values[0] : values]]
    }),
  )
}

function contextOf(services: Services, actor: Actor, request: IncomingMessage): Context {
  const held = request.headers['if-none-match']
  return { services, actor, holds: held === undefined ? () => false : (etag) => matches(held, etag) }
}

/**
 * Returns whether an `If-None-Match` header matches the entity tag by weak comparison (RFC 9110, section
 * 13.1.2).
 */
function matches(header: string, etag: string): boolean {
  return (
    header.trim() === '*' ||
    header.split(',').some((held) => held.trim().replace(/^W\//, '') === etag.replace(/^W\//, ''))
  )
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

async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: unknown,
): Promise<void> {
  response.setHeader('Vary', 'Authorization, Accept-Encoding')
  response.setHeader('Cache-Control', 'private, no-cache')
  if (answer instanceof Prepared) {
    response.setHeader('ETag', answer.etag)
    for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value)
    if (answer.json === null) response.writeHead(304).end()
    else await sendJson(request, response, answer.json)
  } else {
    await sendJson(request, response, stringifyJson(answer))
  }
}

// Compressing smaller bodies saves nothing noticeable.
const compressFromBytes = 1024

const compressors = { zstd: promisify(zstdCompress), gzip: promisify(gzip) }

async function sendJson(request: IncomingMessage, response: ServerResponse, json: string): Promise<void> {
  response.setHeader('Content-Type', 'application/json')
  let body = Buffer.from(json)
  if (body.length >= compressFromBytes && request.headers['accept-encoding'] !== undefined) {
    const encoding = new Negotiator(request).encodings(['zstd', 'gzip', 'identity'])[0]
    if (encoding === 'zstd' || encoding === 'gzip') {
      body = await compressors[encoding](body)
      response.setHeader('Content-Encoding', encoding)
    }
  }
  response.setHeader('Content-Length', body.length)
  response.end(body)
}

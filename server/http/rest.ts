import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import { callTRPCProcedure } from '@trpc/server'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { forEachOpenApiProcedure } from 'trpc-to-openapi'
import type { ZodType } from 'zod'
import { actorOfRequest } from '../access/actor.ts'
import { clientOf } from '../access/client.ts'
import type { Context } from '../access/procedure.ts'
import { api } from '../api.ts'
import { methodNotAllowed, notFound } from '../protocol/errors.ts'
import { stringifyJson } from '../protocol/int64.ts'
import { Prepared } from '../protocol/prepared.ts'
import type { Services } from '../runtime/services.ts'
import type { Scope } from '../tokens/scope.ts'
import { readJsonBody } from './body.ts'
import type { Exchange } from './exchange.ts'
import { type Rendered, KeptPages } from './kept-pages.ts'
import type { RateLimit } from './rate-limit.ts'

interface Operation {
  /** Name of the procedure, such as `deals.list`. */
  name: string
  type: 'query' | 'mutation'
  method: string
  /** Names of its query parameters; others are ignored. */
  query: string[]
  /** What a token needs to call it. */
  scope: Scope | undefined
}

interface Route {
  /** The segments of the declared path; `{id}` is a parameter. */
  segments: string[]
  /** By method; GET also handles HEAD. */
  operations: Map<string, Operation>
}

/** Returns the routes that the procedures declare. */
function readRoutes(): Route[] {
  const routes = new Map<string, Route>()
  forEachOpenApiProcedure(api._def.procedures, ({ path: name, type, procedure, meta }) => {
    const { method, path } = meta.openapi
    const [input] = procedure._def.inputs as [ZodType & { shape?: object }]
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    const query =
      method === 'GET' ? Object.keys(input.shape ?? {}).filter((key) => !inPath.includes(key)) : []
    const route = routes.get(path) ?? { segments: path.split('/'), operations: new Map() }
    const { scope } = meta as typeof meta & { scope?: Scope }
    route.operations.set(method, { name, type: type as Operation['type'], method, query, scope })
    routes.set(path, route)
  })
  return [...routes.values()]
}

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
    const found = mayRead ? kept.find(asked, actor.listRevision) : undefined
    const fit = fitting(found, holds)
    const answer = fit ?? (await (services.traces?.call(operation.name, work) ?? work()))
    if (fit === undefined) kept.keep(asked, answer)
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

/** Splits a request target, which may be absolute (RFC 9112, section 3.2), into path and query. */
export function splitTarget(target: string): { path: string; search: string } {
  const local = target.startsWith('/') ? target : target.replace(/^\w+:\/\/[^/?]*/, '')
  const mark = local.indexOf('?')
  const path = mark < 0 ? local : local.slice(0, mark)
  return { path: path || '/', search: mark < 0 ? '' : local.slice(mark + 1) }
}

/** Returns what finds the route of a path; those without parameters are looked up. */
function finderOf(routes: Route[]): (path: string) => Route | undefined {
  const isLiteral = ({ segments }: Route) => !segments.some(isParameter)
  const literal = new Map(routes.filter(isLiteral).map((route) => [route.segments.join('/'), route]))
  const others = routes.filter((route) => !isLiteral(route))
  return (path) => {
    const found = literal.get(path)
    if (found !== undefined) return found
    const given = path.split('/')
    return others.find(({ segments }) => fits(segments, given))
  }
}

function operationOf(
  route: Route | undefined,
  method: string,
  path: string,
): { operation: Operation; parameters: Record<string, string> } {
  if (route === undefined) throw notFound('Path')
  const { segments, operations } = route
  const operation = operations.get(method === 'HEAD' ? 'GET' : method)
  if (operation !== undefined) return { operation, parameters: readParameters(segments, path.split('/')) }
  const allowed = [...operations.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
  throw methodNotAllowed(allowed.join(', '))
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

/** Returns how the client tells what it holds. */
function holdsOf(request: IncomingMessage): Context['holds'] {
  const held = request.headers['if-none-match']
  return held === undefined ? () => false : (etag) => held === etag || matches(held, etag)
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

// Compressing smaller bodies saves nothing noticeable.
const compressFromBytes = 1024

const compressors = { zstd: promisify(zstdCompress), gzip: promisify(gzip) }
type Coding = keyof typeof compressors

const codings: readonly string[] = Object.keys(compressors)

/** What the values of `Accept-Encoding` ask for that came last; there are few, and reading one takes longer. */
const askedCodings = new LRUCache<string, { coding: Coding | null }>({ max: 200 })
const acceptedMax = 200

/** Returns how the client wants bodies compressed; null for not at all. */
function codingOf(request: IncomingMessage): Coding | null {
  const accepted = request.headers['accept-encoding']?.toString()
  if (accepted === undefined) return null
  const known = askedCodings.get(accepted)
  if (known !== undefined) return known.coding
  const [first] = new Negotiator(request).encodings([...codings, 'identity'])
  const coding = first !== undefined && codings.includes(first) ? (first as Coding) : null
  if (accepted.length <= acceptedMax) askedCodings.set(accepted, { coding })
  return coding
}

const forCaches = ['Vary', 'Authorization, Accept-Encoding', 'Cache-Control', 'private, no-cache']

/** Returns the answer to a client that holds what it asks for. */
const notModified = (etag: string, revision: number | null): Rendered => ({
  headers: [...forCaches, 'ETag', etag],
  body: null,
  etag,
  unchanged: null,
  revision,
})

/** Renders the result of a procedure. */
async function render(result: unknown, coding: Coding | null): Promise<Rendered> {
  const prepared = result instanceof Prepared ? result : null
  if (prepared?.json === null) return notModified(prepared.etag, prepared.revision)
  const json = Buffer.from(prepared?.json ?? stringifyJson(result))
  const isCompressed = coding !== null && json.length >= compressFromBytes
  const body = isCompressed ? await compressors[coding](json) : json
  return {
    headers: [
      ...forCaches,
      ...(prepared === null ? [] : ['ETag', prepared.etag, ...Object.entries(prepared.headers).flat()]),
      'Content-Type',
      'application/json',
      ...(isCompressed ? ['Content-Encoding', coding] : []),
      'Content-Length',
      String(body.length),
    ],
    body,
    etag: prepared?.etag ?? null,
    unchanged: prepared && notModified(prepared.etag, null),
    revision: prepared?.revision ?? null,
  }
}

/** Returns a kept answer, or a 304 to a client that holds it; undefined when only a 304 is kept for one that does not. */
function fitting(kept: Rendered | undefined, holds: Context['holds']): Rendered | undefined {
  if (kept === undefined) return undefined
  if (kept.etag !== null && holds(kept.etag)) return kept.unchanged ?? kept
  return kept.body === null ? undefined : kept
}

function send(
  response: ServerResponse,
  told: OutgoingHttpHeader[],
  { headers, body }: Pick<Rendered, 'headers' | 'body'>,
): void {
  // At once, because setting them one by one takes Node twice as long.
  response.writeHead(body === null ? 304 : 200, [...told, ...headers]).end(body)
}

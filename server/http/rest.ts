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
import type { Scope } from '../tokens/scope.ts'
import { readJsonBody } from './body.ts'
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
    const { scope } = meta as typeof meta & { scope?: Scope }
    route.operations.set(method, { name, type: type as Operation['type'], method, query, scope })
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
  const kept = new KeptPages(services.config.pageCacheMb * 1024 * 1024)
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
    response.once('close', () => {
      services.usage.count(actor.tokenId, response.statusCode)
      services.hours.request(response.statusCode)
    })
    await rateLimit(actor, response)
    await tellAsOf(services, response)
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
    const context = contextOf(services, actor, request)
    const coding = codingOf(request)
    const work = async () => render(await call(operation, readInput, context), coding)
    const traced = () => services.traces?.call(operation.name, work) ?? work()
    const mayRead = operation.scope !== undefined && actor.scopes.includes(operation.scope)
    const asked = { call: `${operation.name} ${path}?${search}`, reach: actor.reach, coding }
    const found = mayRead ? kept.find(asked, actor.listRevision) : undefined
    const answer = fitting(found, context.holds) ?? (await traced())
    if (answer !== found) kept.keep(asked, answer)
    send(response, answer)
  }
}

/** Says up to when the sources of deals have been read, if there are any. */
async function tellAsOf({ asOf }: Services, response: ServerResponse): Promise<void> {
  const known = asOf.get()
  const at = known instanceof Promise ? await known.catch(() => null) : known
  if (at !== null) response.setHeader('X-Data-As-Of', at.toISOString())
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

// Compressing smaller bodies saves nothing noticeable.
const compressFromBytes = 1024

const compressors = { zstd: promisify(zstdCompress), gzip: promisify(gzip) }
type Coding = keyof typeof compressors

const codings: readonly string[] = Object.keys(compressors)

/** Returns how the client wants bodies compressed; null for not at all. */
function codingOf(request: IncomingMessage): Coding | null {
  if (request.headers['accept-encoding'] === undefined) return null
  const [coding] = new Negotiator(request).encodings([...codings, 'identity'])
  return coding !== undefined && codings.includes(coding) ? (coding as Coding) : null
}

const forCaches = { Vary: 'Authorization, Accept-Encoding', 'Cache-Control': 'private, no-cache' }

/** Returns the answer to a client that holds what it asks for. */
const notModified = ({ etag, revision }: Pick<Prepared<unknown>, 'etag' | 'revision'>): Rendered => ({
  headers: { ...forCaches, ETag: etag },
  body: null,
  revision,
})

/** Renders the result of a procedure. */
async function render(result: unknown, coding: Coding | null): Promise<Rendered> {
  const prepared = result instanceof Prepared ? result : null
  if (prepared?.json === null) return notModified(prepared)
  const json = Buffer.from(prepared?.json ?? stringifyJson(result))
  const isCompressed = coding !== null && json.length >= compressFromBytes
  const body = isCompressed ? await compressors[coding](json) : json
  return {
    headers: {
      ...forCaches,
      ...(prepared === null ? {} : { ETag: prepared.etag, ...prepared.headers }),
      'Content-Type': 'application/json',
      ...(isCompressed ? { 'Content-Encoding': coding } : {}),
      'Content-Length': String(body.length),
    },
    body,
    revision: prepared?.revision ?? null,
  }
}

/** Returns a kept answer, or a 304 to a client that holds it; undefined when only a 304 is kept for one that does not. */
function fitting(kept: Rendered | undefined, holds: Context['holds']): Rendered | undefined {
  if (kept?.headers.ETag !== undefined && holds(kept.headers.ETag))
    return notModified({ etag: kept.headers.ETag, revision: null })
  return kept?.body === null ? undefined : kept
}

function send(response: ServerResponse, { headers, body }: Rendered): void {
  response.writeHead(body === null ? 304 : 200, headers).end(body ?? undefined)
}

import type { OutgoingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import type { Context } from '../access/procedure.ts'
import type { TenantScope } from '../accounts/partner.ts'
import { listIdOf } from '../deals/list-store.ts'
import { stringifyJson } from '../values/int64.ts'
import { Prepared } from '../values/prepared.ts'

/** Returns a function that compares an ETag with the client's `If-None-Match` header. */
export function ifNoneMatchOf(request: IncomingMessage): Context['ifNoneMatch'] {
  const header = request.headers['if-none-match']
  return header === undefined ? () => false : (etag) => header === etag || matches(header, etag)
}

/**
 * Returns true if an `If-None-Match` header matches the ETag by weak comparison (RFC 9110, section 13.1.2).
 */
function matches(header: string, etag: string): boolean {
  return (
    header.trim() === '*' ||
    header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag.replace(/^W\//, ''))
  )
}

// Compressing smaller bodies would save little.
const compressFromBytes = 1024

const compressors = { zstd: promisify(zstdCompress), gzip: promisify(gzip) }
export type Coding = keyof typeof compressors

const codings: readonly string[] = Object.keys(compressors)

/**
 * Caches parsed `Accept-Encoding` headers: few different headers occur, and a lookup is faster than parsing.
 */
const parsedCodings = new LRUCache<string, { coding: Coding | null }>({ max: 200 })
const acceptedMax = 200

/** Returns the compression to use for the client, or null for none. */
export function codingOf(request: IncomingMessage): Coding | null {
  const accepted = request.headers['accept-encoding']?.toString()
  if (accepted === undefined) return null
  const known = parsedCodings.get(accepted)
  if (known !== undefined) return known.coding
  const [first] = new Negotiator(request).encodings([...codings, 'identity'])
  const coding = first !== undefined && codings.includes(first) ? (first as Coding) : null
  if (accepted.length <= acceptedMax) parsedCodings.set(accepted, { coding })
  return coding
}

const cacheHeaders = { Vary: 'Authorization, Accept-Encoding', 'Cache-Control': 'private, no-cache' }

const notModified = (etag: string, revision: number | null): CachedResponse => ({
  status: 304,
  headers: { ...cacheHeaders, ETag: etag },
  body: null,
  etag,
  unchanged: null,
  revision,
})

const noContent: CachedResponse = {
  status: 204,
  headers: cacheHeaders,
  body: null,
  etag: null,
  unchanged: null,
  revision: null,
}

/** Returns the response for the result of a procedure. */
export async function render(result: unknown, coding: Coding | null): Promise<CachedResponse> {
  if (result === undefined) return noContent
  const prepared = result instanceof Prepared ? result : null
  if (prepared?.json === null) return notModified(prepared.etag!, prepared.revision)
  const json = Buffer.from(prepared?.json ?? stringifyJson(result))
  const isCompressed = coding !== null && json.length >= compressFromBytes
  const body = isCompressed ? await compressors[coding](json) : json
  const etag = prepared?.etag ?? null
  return {
    status: prepared?.status ?? 200,
    headers: {
      ...cacheHeaders,
      ...(etag !== null && { ETag: etag }),
      ...prepared?.headers,
      'Content-Type': 'application/json',
      ...(isCompressed ? { 'Content-Encoding': coding } : {}),
      'Content-Length': body.length,
    },
    body,
    etag,
    unchanged: etag === null ? null : notModified(etag, null),
    revision: prepared?.revision ?? null,
  }
}

/**
 * Returns a cached response, or a 304 if the client has the same version. Returns undefined if a new response
 * is required.
 */
export function respondFromCache(
  cached: CachedResponse | undefined,
  ifNoneMatch: Context['ifNoneMatch'],
): CachedResponse | undefined {
  if (cached === undefined) return undefined
  if (cached.etag !== null && ifNoneMatch(cached.etag)) return cached.unchanged ?? cached
  return cached.body === null ? undefined : cached
}

/** Sends a response with additional headers of this request. */
export function send(
  response: ServerResponse,
  ownHeaders: OutgoingHttpHeaders,
  { status, headers, body }: Pick<CachedResponse, 'status' | 'headers' | 'body'>,
): void {
  // `writeHead` with all headers takes half the time of setting headers one by one.
  response.writeHead(status, { ...ownHeaders, ...headers }).end(body)
}

/** A response with the headers that belong to it. */
export interface CachedResponse {
  status: number
  headers: OutgoingHttpHeaders
  /** Null for status 304 or 204. */
  body: Buffer | null
  etag: string | null
  /**
   * The 304 response for clients that already have this version. Null if this is a 304, or if there is no
   * ETag.
   */
  unchanged: CachedResponse | null
  /** The revision of the deal list; null if the response must not be cached. */
  revision: number | null
}

/** Everything that a response depends on, except the revision of the deal list. */
export interface CacheKey {
  /** The operation and its parameters. */
  call: string
  tenant: TenantScope
  /** The compression of the body, or null. */
  coding: string | null
}

// Longer calls contain parameters that no operation reads.
const callMaxLength = 200

/** Caches recent responses until the deal list changes, because partners poll. */
export class ResponseCache {
  readonly #responses: LRUCache<string, CachedResponse> | null

  /** @param maxBytes the total size; 0 disables the cache */
  constructor(maxBytes: number) {
    this.#responses = maxBytes === 0 ? null : new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf })
  }

  /** Returns the cached response, provided that the list still has this revision. */
  find(key: CacheKey, revision: number | null): CachedResponse | undefined {
    const answer = this.#responses?.get(keyOf(key))
    return answer?.revision === revision ? answer : undefined
  }

  /** Caches a response that has a revision. A 304 does not replace a response with a body. */
  keep(key: CacheKey, answer: CachedResponse): void {
    if (answer.revision === null || key.call.length > callMaxLength) return
    if (answer.body === null && this.find(key, answer.revision) !== undefined) return
    this.#responses?.set(keyOf(key), answer)
  }
}

const keyOf = ({ call, tenant, coding }: CacheKey) => `${listIdOf(tenant)} ${coding} ${call}`

// Estimated size of the key, the headers and other overhead.
const overheadBytes = 1000

const sizeOf = ({ body }: CachedResponse) => overheadBytes + (body?.length ?? 0)

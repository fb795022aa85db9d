import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import type { Context } from '../access/procedure.ts'
import { stringifyJson } from '../values/int64.ts'
import { Prepared } from '../values/prepared.ts'
import type { CachedResponse } from './response-cache.ts'

/** Returns the function that matches the client's `If-None-Match`. */
export function ifNoneMatchOf(request: IncomingMessage): Context['ifNoneMatch'] {
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

// Compressing smaller bodies saves nothing noticeable.
const compressFromBytes = 1024

const compressors = { zstd: promisify(zstdCompress), gzip: promisify(gzip) }
/** How a body can be compressed. */
export type Coding = keyof typeof compressors

const codings: readonly string[] = Object.keys(compressors)

/** Parsed `Accept-Encoding` values by recency; there are few, and parsing one takes longer. */
const askedCodings = new LRUCache<string, { coding: Coding | null }>({ max: 200 })
const acceptedMax = 200

/** Returns the compression that the client accepts; null for none. */
export function codingOf(request: IncomingMessage): Coding | null {
  const accepted = request.headers['accept-encoding']?.toString()
  if (accepted === undefined) return null
  const known = askedCodings.get(accepted)
  if (known !== undefined) return known.coding
  const [first] = new Negotiator(request).encodings([...codings, 'identity'])
  const coding = first !== undefined && codings.includes(first) ? (first as Coding) : null
  if (accepted.length <= acceptedMax) askedCodings.set(accepted, { coding })
  return coding
}

const cacheHeaders = { Vary: 'Authorization, Accept-Encoding', 'Cache-Control': 'private, no-cache' }

/** Returns the 304 response to a client whose version is current. */
const notModified = (etag: string, revision: number | null): CachedResponse => ({
  status: 304,
  headers: { ...cacheHeaders, ETag: etag },
  body: null,
  etag,
  unchanged: null,
  revision,
})

/** The response of a procedure without a result. */
const noContent: CachedResponse = {
  status: 204,
  headers: cacheHeaders,
  body: null,
  etag: null,
  unchanged: null,
  revision: null,
}

/** Renders the result of a procedure. */
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
 * Returns a cached response, or a 304 to a client that has it; undefined if only a 304 is cached for a client
 * that does not.
 */
export function respondFromCache(
  kept: CachedResponse | undefined,
  ifNoneMatch: Context['ifNoneMatch'],
): CachedResponse | undefined {
  if (kept === undefined) return undefined
  if (kept.etag !== null && ifNoneMatch(kept.etag)) return kept.unchanged ?? kept
  return kept.body === null ? undefined : kept
}

/** Sends a response; `ownHeaders` are its specific headers. */
export function send(
  response: ServerResponse,
  ownHeaders: OutgoingHttpHeaders,
  { status, headers, body }: Pick<CachedResponse, 'status' | 'headers' | 'body'>,
): void {
  // Sets all headers at once, because setting them one by one takes Node twice as long.
  response.writeHead(status, { ...ownHeaders, ...headers }).end(body)
}

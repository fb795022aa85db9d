import type { OutgoingHttpHeaders } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { TenantScope } from '../accounts/partner.ts'
import { listIdOf } from '../deals/list-store.ts'

/** A response and its own headers. */
export interface CachedResponse {
  status: number
  headers: OutgoingHttpHeaders
  /** Null for a 304 or 204. */
  body: Buffer | null
  etag: string | null
  /** The 304 for clients that have this response; null for a 304 or without an entity tag. */
  unchanged: CachedResponse | null
  /** The revision of the deal list; null if the response must not be cached. */
  revision: number | null
}

/** The inputs of a response besides the list's revision. */
export interface CacheKey {
  /** The operation with its parameters. */
  call: string
  /** The tenant whose deals are shown. */
  tenant: TenantScope
  /** The compression of the body, or null. */
  coding: string | null
}

// Longer targets have parameters that no operation reads.
const callMaxLength = 200

/** Caches recent responses while the list is unchanged, because partners poll. */
export class ResponseCache {
  readonly #responses: LRUCache<string, CachedResponse> | null

  /** @param maxBytes the total size; 0 disables the cache */
  constructor(maxBytes: number) {
    this.#responses = maxBytes === 0 ? null : new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf })
  }

  /** Returns the response if the list still has this revision. */
  find(key: CacheKey, revision: number | null): CachedResponse | undefined {
    const answer = this.#responses?.get(keyOf(key))
    return answer?.revision === revision ? answer : undefined
  }

  /** Stores a response with a revision. A 304 does not replace a response with a body. */
  keep(key: CacheKey, answer: CachedResponse): void {
    if (answer.revision === null || key.call.length > callMaxLength) return
    if (answer.body === null && this.find(key, answer.revision) !== undefined) return
    this.#responses?.set(keyOf(key), answer)
  }
}

const keyOf = ({ call, tenant, coding }: CacheKey) => `${listIdOf(tenant)} ${coding} ${call}`

// For the key, the headers and their overhead.
const overheadBytes = 1000

const sizeOf = ({ body }: CachedResponse) => overheadBytes + (body?.length ?? 0)

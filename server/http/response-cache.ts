import type { OutgoingHttpHeaders } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { TenantScope } from '../accounts/partner.ts'
import { listIdOf } from '../deals/list-store.ts'

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

import { LRUCache } from 'lru-cache'
import type { TenantScope } from '../accounts/partner.ts'

/** An answer as it is sent: the headers that are its own, names and values in turn, and the body, null for a 304. */
export interface CachedResponse {
  headers: readonly string[]
  body: Buffer | null
  /** The entity tag, if it has one. */
  etag: string | null
  /** The 304 to a client that holds it; null when this is one, or has no entity tag. */
  unchanged: CachedResponse | null
  /** The revision of the list that it shows; null when it is not to be kept. */
  revision: number | null
}

/** What is asked for; the same gets the same answer as long as the list that it shows has one revision. */
export interface CacheKey {
  /** The operation with its parameters. */
  call: string
  /** Whose deals are seen. */
  tenant: TenantScope
  /** How the body is compressed, or null. */
  coding: string | null
}

// Longer ones hold parameters that no operation reads.
const callMaxLength = 200

/**
 * Keeps the answers that were sent last, to send them again while the list that they show is unchanged. Partners
 * poll, and mostly nothing has changed.
 */
export class ResponseCache {
  readonly #kept: LRUCache<string, CachedResponse> | null

  /** @param maxBytes of all kept answers together; 0 keeps none */
  constructor(maxBytes: number) {
    this.#kept = maxBytes === 0 ? null : new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf })
  }

  /** Returns the answer that is kept, if the list has this revision still. */
  find(asked: CacheKey, revision: number | null): CachedResponse | undefined {
    const answer = this.#kept?.get(keyOf(asked))
    return answer?.revision === revision ? answer : undefined
  }

  /** Keeps an answer that shows a revision. One with a body is not exchanged for a 304, which says less. */
  keep(asked: CacheKey, answer: CachedResponse): void {
    if (answer.revision === null || asked.call.length > callMaxLength) return
    if (answer.body === null && this.find(asked, answer.revision) !== undefined) return
    this.#kept?.set(keyOf(asked), answer)
  }
}

const keyOf = ({ call, tenant, coding }: CacheKey) => `${tenant} ${coding} ${call}`

// Of the key, the headers and what holds them together.
const overheadBytes = 1000

const sizeOf = ({ body }: CachedResponse) => overheadBytes + (body?.length ?? 0)

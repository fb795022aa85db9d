import { LRUCache } from 'lru-cache'
import type { Database } from '#db/client.ts'
import { outsideRequest } from '../admission/slots.ts'
import { ApiError } from '../errors.ts'
import { ContentMissingError, type Storage } from '../files/storage.ts'
import { decryptFor } from '../values/encryption.ts'
import { minuteMs, secondMs } from '../values/units.ts'
import { type CrmSource, LinkRejectedError, SourceError } from './crm-source.ts'
import { findFileSource } from './file-store.ts'
import { openCrm } from './open-crm.ts'
import { fileCallsPerMinute } from './policy.ts'
import { ownerOfSecret } from './store.ts'

export interface CrmStorageDeps {
  db: Database
  encryptionKey: Buffer
  hubspotUrl: string
  /** Counts a call by `owner`, which may make `max` calls a minute across all processes. */
  countCall: (owner: string, max: number) => Counted | Promise<Counted>
}

interface Counted {
  isOver: boolean
  resetMs: number
}

type FileSource = NonNullable<Awaited<ReturnType<typeof findFileSource>>>
type SignedUrl = NonNullable<Awaited<ReturnType<NonNullable<CrmSource['signFile']>>>>

const answerTimeoutMs = 15_000

// Maximum number of cached URLs, each about 2 KB.
const keptMax = 5000

/** Minimum remaining lifetime of a returned URL. Does not apply to URLs that last less than twice as long. */
const marginMs = 5 * minuteMs

const missingMs = minuteMs

/** If the CRM requests a pause of at least this long, requests for all other files pause as well. */
const pauseMinMs = 10 * secondMs

/** Returns read-only storage for files that stay in the CRM. */
export function crmStorage(deps: CrmStorageDeps): Storage {
  const urls = new SignedUrls(deps)
  const refuse = () => Promise.reject(new Error('the CRM is not written'))
  return {
    name: 'crm',
    put: refuse,
    remove: () => Promise.resolve(),
    sizeOf: refuse,
    ageMs: refuse,
    access: async (key) => (await urls.get(key))?.signed ?? null,
    async open(key) {
      const found = await urls.find(key)
      return open(deps, found).catch(async (error: unknown) => {
        if (!(error instanceof LinkRejectedError)) throw toUnavailable(error)
        // The URL may have been cached for longer than it was valid.
        urls.forget(found)
        return open(deps, await urls.find(key)).catch((again: unknown) => {
          throw toUnavailable(again)
        })
      })
    },
    async *keys() {},
    problem: () => Promise.resolve(null),
  }
}

/** A signed URL and the budgets that its request counted against. */
interface Found {
  key: string
  source: FileSource
  signed: SignedUrl
}

/**
 * Caches signed URLs of files while these are valid, with at most one request per file at a time. Calls stay
 * within a budget that reserves most of the CRM's limits for reading deals.
 */
class SignedUrls {
  readonly #deps: CrmStorageDeps
  readonly #kept = new LRUCache<string, { signed: SignedUrl | null }>({ max: keptMax })
  readonly #requests = new Map<string, Promise<SignedUrl | null>>()
  /** End of the pause requested by the CRM, by source, in terms of `performance.now()`. */
  readonly #pausedUntil = new Map<number, number>()

  constructor(deps: CrmStorageDeps) {
    this.#deps = deps
  }

  /**
   * Returns the URL of a file, or null if the file does not exist.
   * @throws ApiError 503 if the CRM cannot be called
   */
  async get(fileId: string): Promise<Found | null> {
    const source = await findFileSource(this.#deps.db, fileId)
    if (source === undefined) return null
    const key = `${source.id} ${fileId} ${source.revision}`
    const cached = this.#kept.get(key)
    const signed = cached === undefined ? await this.#askOnce(key, source, fileId) : cached.signed
    return signed && { key, source, signed }
  }

  /**  @throws ApiError 503 if the CRM cannot be called; ContentMissingError without a file */
  async find(fileId: string): Promise<Found> {
    const found = await this.get(fileId)
    if (found === null) throw new ContentMissingError()
    return found
  }

  forget({ key, signed }: Found): void {
    if (this.#kept.get(key)?.signed === signed) this.#kept.delete(key)
  }

  #askOnce(key: string, source: FileSource, fileId: string): Promise<SignedUrl | null> {
    const known = this.#requests.get(key)
    if (known !== undefined) return known
    // The request is shared by all concurrent callers, so it continues even if the first caller disconnects.
    const request = outsideRequest(() => this.#ask(key, source, fileId)).finally(() =>
      this.#requests.delete(key),
    )
    this.#requests.set(key, request)
    return request
  }

  async #ask(key: string, source: FileSource, fileId: string): Promise<SignedUrl | null> {
    const pauseMs = (this.#pausedUntil.get(source.id) ?? 0) - performance.now()
    if (pauseMs > 0) throw busy(pauseMs)
    for (const [owner, max] of budgetsOf(source)) {
      const { isOver, resetMs } = await this.#deps.countCall(owner, max)
      if (isOver) throw busy(resetMs)
    }
    const signed = await sign(this.#deps, source, fileId).catch((error: unknown) => {
      const retryMs = error instanceof SourceError ? (error.retryAfterMs ?? 0) : 0
      if (retryMs >= pauseMinMs) this.#pausedUntil.set(source.id, performance.now() + retryMs)
      throw toUnavailable(error, Math.max(retryMs, pauseMinMs))
    })
    const lastsMs = signed === null ? missingMs : signed.expiresAt.getTime() - Date.now()
    const ttl = Math.floor(signed === null ? lastsMs : Math.max(lastsMs - marginMs, lastsMs / 2))
    if (ttl > 0) this.#kept.set(key, { signed }, { ttl })
    return signed
  }
}

/**
 * Returns the budgets that a call counts against. The partner's budget comes first, so a partner cannot use
 * up the shares of others.
 */
function budgetsOf({ id, partnerId, isBeingRead }: FileSource): [owner: string, max: number][] {
  const { total, ofPartner } = fileCallsPerMinute[isBeingRead ? 'whileRead' : 'usual']
  const owner = `source ${id} files${isBeingRead ? ' while read' : ''}`
  return [
    [`${owner} of partner ${partnerId}`, ofPartner],
    [owner, total],
  ]
}

const sign = (deps: CrmStorageDeps, source: FileSource, fileId: string) =>
  withSource(
    deps,
    source,
    AbortSignal.timeout(answerTimeoutMs),
    async (crm) => (await crm.signFile?.(fileId)) ?? null,
  )

const open = (deps: CrmStorageDeps, { source, signed }: Found) =>
  withSource(deps, source, new AbortController().signal, (crm) => crm.openFile!(signed.url))

async function withSource<T>(
  { encryptionKey, hubspotUrl }: CrmStorageDeps,
  source: FileSource,
  signal: AbortSignal,
  work: (crm: CrmSource) => Promise<T>,
): Promise<T> {
  const secret = decryptFor(ownerOfSecret(source.id), source.secret, encryptionKey)
  const crm = openCrm(source, secret, { hubspotUrl, signal, attempts: 1 })
  try {
    return await work(crm)
  } finally {
    await crm.close()
  }
}

function toUnavailable(error: unknown, retryMs = pauseMinMs): unknown {
  const isOfCrm =
    error instanceof SourceError ||
    (error instanceof Error && /^(?:TimeoutError|AbortError)$/.test(error.name))
  return isOfCrm ? unavailable('The CRM of the file does not respond', retryMs) : error
}

const busy = (retryMs: number) =>
  unavailable('Too many files are requested from the CRM at the moment', retryMs)

const unavailable = (message: string, retryMs: number) =>
  new ApiError('SERVICE_UNAVAILABLE', message, {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(retryMs / secondMs))) },
  })

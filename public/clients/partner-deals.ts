import { createHmac, timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

// A client of the Partner Deals API in one file, without dependencies, for Node 20 or newer.
//
//   const client = new PartnerDeals({ url: 'https://deals.example.com', token: process.env.TOKEN })
//   for await (const deal of client.deals.walk()) console.log(deal.id, deal.stage)
//
// Ids are 64-bit integers in JSON. Here they are decimal strings, because numbers round those above 2^53.

type TextField =
  | ('dealname' | 'firstName' | 'lastName' | 'coordinates' | 'state' | 'streetAddress' | 'city' | 'zipCode')
  | ('primaryPhone' | 'nameOnUb' | 'utilityName' | 'stage' | 'stageId' | 'pipelineId' | 'pipeline')
  | ('adderPpw' | 'adders' | 'systemSize' | 'roofType' | 'designToolAProjectId' | 'designToolBProjectId')
  | ('designToolCProjectId' | 'proposalLink' | 'battery' | 'inverterType' | 'moduleType')
  | ('numberOfBatteries' | 'numberOfInverters' | 'numberOfModules' | 'closerName' | 'setterName' | 'dealer')
  | ('lender' | 'loanAmount' | 'hoaName' | 'hoaEmail' | 'hoaNumber' | 'notes' | 'inspectionNotes')
  | ('reInspectionResults' | 'inspectionResults' | 'hicAgreement')
type NumberField = 'amount' | 'totalPpw' | 'basePpw' | 'adderCost'
type FlagField =
  | ('hasBattery' | 'hasChangesToAdders' | 'hasHoa' | 'inspectionRequired' | 'installCompleted' | 'm2Approved')
  | ('hasOutstandingItems' | 'permitRequired' | 'plansetMatchesAsBuilt' | 'scopeOfWorkPacket')
type TimeField =
  | ('lastModified' | 'createDate' | 'timeInCurrentStage' | 'cadCompleted' | 'cadRequested')
  | ('engineeringCompleted' | 'engineeringRequested' | 'expectedPermitDeliveryDate' | 'fundingSubmitted')
  | ('hoaApprovedDate' | 'inspectionRequested' | 'installComplete' | 'installedScheduled')
  | ('notesLastUpdated' | 'notesNextActivityDate' | 'ntpApproved' | 'ntpRequested' | 'permitReceived')
  | ('permitSubmitted' | 'reInspectionRequested' | 'reInstallScheduled' | 'reSignDate')
  | ('siteSurveyCompleted' | 'siteSurveyRequested' | 'redesignCompleteDate')
type PersonField =
  | ('owner' | 'projectManager' | 'postInstallEngineer' | 'postInstallProjectManager')
  | ('ixCoordinator' | 'permitCoordinator')

/** A person in one of the six roles of a deal. */
export interface Person {
  id: string
  userId: string | null
  email: string | null
  firstName: string | null
  lastName: string | null
  teams: string | null
  crmTeamId: string | null
  createdAt: string | null
  updatedAt: string | null
}

/** A deal. Times are ISO 8601 in UTC, such as `2026-03-01T17:20:05.000Z`; unknown values are null. */
export type Deal = { id: string } & Record<PersonField, Person | null> &
  Record<TextField | TimeField, string | null> &
  Record<NumberField, number | null> &
  Record<FlagField, boolean>

/** A change of a deal. In a `deal.removed`, `data` has the id only; its other values are null. */
export interface DealEvent {
  type: 'deal.created' | 'deal.updated' | 'deal.removed'
  /** The sequence as a string. */
  id: string
  dealId: string
  timestamp: string
  /** Number of the event, from 1 without gaps. */
  sequence: number
  data: Deal
  changes: { field: string; from: unknown; to: unknown }[]
  /** How the deal passed the filter, if there is one. */
  filter?: 'entered' | 'in' | 'left'
  /** All changes in the installer's CRM up to this time were read before. */
  asOf?: string
  test?: true
}

/** A page of a search. */
export interface DealPage {
  deals: Deal[]
  /** The `cursor` of the next page; null at the end. */
  next: string | null
}

export interface EventPage {
  events: DealEvent[]
  /** The sequence to continue after, also when `events` is empty. */
  next: number
  /** The sequence of the newest event. */
  last: number
}

/** How events are read. */
export interface EventQuery {
  /** At most so many in a page, 1 to 100. */
  limit?: number
  /** Seconds to wait for an event if there is none, 0 to 25. */
  wait?: number
  /** Parameters of the search: `stage=Sold&state=AZ`. */
  filter?: string
}

/** A value of a query, or several alternatives. */
type Value = string | number | boolean | Date
/** The parameters of a search, as the API reference lists them: `{ stage: ['Sold', 'Installed'] }`. */
export type Filter = Record<string, Value | readonly Value[] | null | undefined>

export interface FileAccess {
  /** Works without a token until `expiresAt`. */
  url: string
  expiresAt: string
  name: string
  extension: string | null
  type: string
  size: number
}

export interface WebhookUrls {
  createURL: string | null
  updateURL: string | null
}

export interface NewSubscription {
  url: string
  events?: DealEvent['type'][]
  /** Parameters of the search: `stage=Sold&state=AZ`. */
  filter?: string
  /** Sends only events that change one of these fields. */
  changed?: string[]
  name?: string
}

export interface Subscription {
  id: string
  url: string
  events: DealEvent['type'][]
  filter: string | Record<string, unknown> | null
  changed: string[] | null
  name: string | null
  /** The filter applies to the events after this sequence. */
  since: number
  createdAt: string
  /** Since when nothing is sent, because the URL failed for days. */
  switchedOffAt: string | null
}

/** What a copy lacks, and the event to follow from. */
export interface Differences {
  missing: string[]
  stale: string[]
  gone: string[]
  last: number
}

/** An error response. `code` is for programs, the message for people. */
export class ApiError extends Error {
  override name = 'ApiError'
  status: number
  code: string
  errors: string[]
  /** Name it when you ask about this request. */
  requestId: string | null
  /** When to try again; null if the response does not say. */
  retryAfterMs: number | null
  /**
   * With the code `GONE`, some of the events are no longer available: read all deals again, then follow the events
   * after this one, the newest. Otherwise null.
   */
  continueAfter: number | null

  constructor(response: Response, text: string) {
    const body = errorBody(text)
    const requestId = response.headers.get('X-Request-Id')
    const location = response.headers.get('Location')
    const redirected = response.status >= 300 && response.status < 400 ? `Redirected to ${location}` : null
    const message = redirected ?? body.message ?? `${response.status} ${response.statusText}`.trim()
    const details = body.errors?.length ? `: ${body.errors.join('; ')}` : ''
    super(`${message}${details} (request ${requestId ?? 'without id'})`)
    this.status = response.status
    this.code = body.code ?? `HTTP_${response.status}`
    this.errors = body.errors ?? []
    this.requestId = requestId
    this.retryAfterMs = retryAfterOf(response.headers.get('Retry-After'))
    const after = /[?&]after=(\d+)/.exec(nextLink(response) ?? '')?.[1]
    this.continueAfter = after === undefined ? null : Number(after)
  }
}

/** No response: no connection, or none in time. `cause` says why. */
export class NoResponseError extends Error {
  override name = 'NoResponseError'
}

/** A webhook that must not be trusted. */
export class SignatureError extends Error {
  override name = 'SignatureError'
}

export interface Options {
  /** The URL of the portal, such as `https://deals.example.com`. */
  url: string
  token: string | undefined
  /** For one attempt, until the response is read. 30 seconds by default. */
  timeoutMs?: number
  /** How often a failed request is repeated. 5 by default. */
  retries?: number
  /** The longest wait between two attempts; a longer `Retry-After` throws. 2 minutes by default. */
  maxWaitMs?: number
  /** Ends all requests and waits. */
  signal?: AbortSignal
  /** Called before a failed request is repeated, such as to log it. */
  onRetry?: (problem: Error, waitMs: number) => void
  /**
   * Sends requests, by default the global `fetch`. To use a proxy, start Node 24 with `NODE_USE_ENV_PROXY=1`,
   * or pass the `fetch` of undici with its `EnvHttpProxyAgent` as dispatcher.
   */
  fetch?: typeof fetch
}

// Every call here may be repeated: creating a subscription again returns the existing one.
const isTemporary = (status: number) => status === 408 || status === 429 || status >= 500
const waitMaxS = 25
// A page has at most 16 MiB.
const longestAnswer = 2 ** 26

/** A request; with a body, a POST. */
interface Call {
  method?: string
  body?: string | undefined
  timeoutMs?: number
}

/** A client of the API. Methods throw `ApiError` or `NoResponseError`. */
export class PartnerDeals {
  readonly #options: Options & { timeoutMs: number; retries: number; maxWaitMs: number }

  constructor(options: Options) {
    if (!options.token) throw new TypeError('A token is required')
    if (!/^https?:\/\//.test(options.url)) throw new TypeError('The URL must begin with https:// or http://')
    this.#options = { timeoutMs: 30_000, retries: 5, maxWaitMs: 120_000, ...options }
  }

  readonly deals = {
    /** Reads all deals, in a stable order, also while deals arrive or are removed. */
    walk: (): AsyncGenerator<Deal, void> => this.#walk(),

    /** Reads all deals that match; with `fields`, only these fields of each. */
    search: (filter: Filter = {}): AsyncGenerator<Deal, void> => this.#search(filter),

    /** Reads one page of a search; with the `cursor` that the page before named, the next one. */
    searchPage: async (filter: Filter = {}): Promise<DealPage> => {
      const page = await this.#json<DealPage>(`/api/deals/search${queryOf({ limit: 100, ...filter })}`)
      // Whatever responds in place of the portal must not look like the end of all deals.
      if (!Array.isArray(page?.deals) || page.next === undefined)
        throw new NoResponseError(`No response from ${this.#options.url}: this is not a page of deals`)
      return page
    },

    get: (id: string | bigint): Promise<Deal> => this.#json(`/api/deals/${encodeURIComponent(String(id))}`),
  }

  readonly events = {
    /** Returns a page of events; `after: -3` returns the newest three. */
    list: (query: EventQuery & { after?: number } = {}) =>
      this.#json<EventPage>(`/api/events${queryOf({ ...query })}`, {
        timeoutMs: this.#options.timeoutMs + (query.wait ?? 0) * 1000,
      }),

    /**
     * Follows the events after a sequence, page by page, without end. Store `next` of each page with its
     * changes, and continue after it at the next start.
     * @throws ApiError with `continueAfter` if some of them are no longer available
     */
    follow: (after: number, query: EventQuery = {}): AsyncGenerator<EventPage, never> =>
      this.#follow(after, { limit: 100, wait: waitMaxS, ...query }),

    /** Compares a copy, given as ids with their `lastModified`, and returns how it differs. */
    reconcile: (copy: Iterable<readonly [id: string, lastModified: string | null]>) => this.#reconcile(copy),
  }

  readonly files = {
    /** Returns the metadata of a file, such as a deal's `hicAgreement`, and a URL to download it. */
    get: (id: string): Promise<FileAccess> => this.#json(`/api/files/${encodeURIComponent(id)}`),
  }

  readonly webhooks = {
    /** Returns the URLs that receive all events. */
    get: (): Promise<WebhookUrls> => this.#json('/api/webhook'),

    /** Sets the URLs; an omitted one stays, null clears it. */
    set: (urls: Partial<WebhookUrls>) => this.#json<WebhookUrls>('/api/webhook', { body: urls }),

    list: async (): Promise<Subscription[]> =>
      (await this.#json<{ subscriptions: Subscription[] }>('/api/webhooks')).subscriptions,

    /** Creates a subscription; the same again returns the existing one. */
    create: (subscription: NewSubscription) =>
      this.#json<Subscription>('/api/webhooks', { body: subscription }),

    /** Deletes a subscription. Returns false if it does not exist. */
    delete: async (id: string): Promise<boolean> => {
      try {
        await this.#send(`/api/webhooks/${encodeURIComponent(id)}`, { method: 'DELETE' })
        return true
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return false
        throw error
      }
    },
  }

  async *#walk(): AsyncGenerator<Deal, void> {
    let target: string | null = '/api/deals?size=25'
    while (target !== null) {
      const { response, json } = await this.#send(target)
      yield* (json as { deals: Deal[] }).deals
      target = nextLink(response)
    }
  }

  async *#search(filter: Filter): AsyncGenerator<Deal, void> {
    let cursor: string | null = null
    do {
      const page: DealPage = await this.deals.searchPage({ ...filter, cursor })
      yield* page.deals
      cursor = page.next
    } while (cursor !== null)
  }

  async *#follow(after: number, query: EventQuery): AsyncGenerator<EventPage, never> {
    for (;;) {
      const startedAt = Date.now()
      const page = await this.events.list({ ...query, after })
      yield page
      // A process that shuts down responds at once. Without this pause, an idle client would ask in a loop.
      if (page.events.length === 0 && page.next === after && Date.now() - startedAt < 1000)
        await this.#sleep(1000 + 1000 * Math.random())
      after = page.next
    }
  }

  async #reconcile(
    copy: Iterable<readonly [id: string, lastModified: string | null]>,
  ): Promise<Differences> {
    const versions = [...copy].map(([id, lastModified]) => ({ id: BigInt(id), lastModified }))
    versions.sort((a, b) => (a.id < b.id ? -1 : 1))
    const found: Differences = { missing: [], stale: [], gone: [], last: -1 }
    let after: bigint | null = null
    let at = 0
    do {
      const start: bigint | null = after
      while (start !== null && at < versions.length && versions[at]!.id <= start) at++
      const chunk = versions.slice(at, at + 1000)
      const upTo: bigint | null = versions.length - at > chunk.length ? chunk.at(-1)!.id : null
      // BigInt has no JSON.
      const deals = chunk.map((deal) => `{"id":${deal.id},"lastModified":${JSON.stringify(deal.lastModified)}}`)
      const body = `{"deals":[${deals}],"after":${start},"upTo":${upTo}}`
      const { text } = await this.#send('/api/events/reconcile', { body })
      // The response has no strings.
      const page = JSON.parse(text.replace(/-?\d+/g, '"$&"'))
      for (const name of ['missing', 'stale', 'gone'] as const) found[name].push(...page[name])
      if (found.last < 0) found.last = Number(page.last)
      after = page.next === null ? upTo : BigInt(page.next)
    } while (after !== null)
    return found
  }

  async #json<T>(target: string, call: { body?: unknown; timeoutMs?: number } = {}): Promise<T> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    return (await this.#send(target, { ...call, body })).json as T
  }

  /** Sends a request, again while that can help. */
  async #send(target: string, call: Call = {}): Promise<{ response: Response; text: string; json: unknown }> {
    for (let attempt = 0; ; attempt++) {
      const { signal, retries, maxWaitMs } = this.#options
      let problem: Error
      let waitMs = 1000 * 2 ** attempt
      try {
        const { response, text } = await this.#attempt(target, call)
        if (response.ok) return { response, text, json: text === '' ? undefined : parse(text) }
        const refusal = new ApiError(response, text)
        if (!isTemporary(response.status)) throw refusal
        waitMs = refusal.retryAfterMs ?? waitMs
        problem = refusal
      } catch (error) {
        if (error instanceof ApiError || signal?.aborted) throw error
        problem = new NoResponseError(`No response from ${this.#options.url}: ${reasonOf(error)}`, {
          cause: error,
        })
      }
      if (attempt >= retries || waitMs > maxWaitMs) throw problem
      // Clients that failed together come back apart, and none before its time.
      waitMs *= 1 + Math.random() / 4
      this.#options.onRetry?.(problem, waitMs)
      await this.#sleep(waitMs)
    }
  }

  async #attempt(target: string, call: Call): Promise<{ response: Response; text: string }> {
    const { url, token, signal, fetch: send = fetch } = this.#options
    const { body, method = body === undefined ? 'GET' : 'POST', timeoutMs = this.#options.timeoutMs } = call
    const ending = new AbortController()
    const abort = () => ending.abort(signal?.reason)
    const timer = setTimeout(() => ending.abort(new Error(`none within ${timeoutMs} ms`)), timeoutMs)
    signal?.addEventListener('abort', abort)
    try {
      signal?.throwIfAborted()
      const response = await send(new URL(target, url), {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          Accept: 'application/json',
          'Content-Type': 'application/json',
        },
        ...(body !== undefined && { body }),
        // The token is for this host alone.
        redirect: 'manual',
        signal: ending.signal,
      })
      return { response, text: await readText(response) }
    } finally {
      ending.abort()
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  #sleep(ms: number): Promise<void> {
    const { signal } = this.#options
    return sleep(ms, undefined, signal && { signal })
  }
}

/**
 * Parses a response or the body of a webhook, with exact ids: the integers named `id`, `userId` or `dealId`
 * become strings. Quotes inside of strings are escaped, so the pattern matches keys only.
 */
export const parse = <T>(text: string): T =>
  JSON.parse(text.replace(/"(id|userId|dealId)"\s*:\s*(-?\d+)(?=\s*[,}])/g, '"$1":"$2"'))

/**
 * Verifies a webhook (Standard Webhooks) and returns its event. `body` is the request's body exactly as
 * received, `headers` are those of Node or fetch, and each secret begins with `whsec_`.
 * @throws SignatureError if it must not be trusted
 */
export function verify(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secrets: string | readonly string[],
  { toleranceS = 300, nowMs = Date.now() }: { toleranceS?: number; nowMs?: number } = {},
): DealEvent {
  const header = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    if (typeof value !== 'string' || value === '') throw new SignatureError(`The header ${name} is missing`)
    return value
  }
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')]
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceS)
    throw new SignatureError(`The timestamp is not within ${toleranceS} seconds of now`)
  const signatures = header('webhook-signature')
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice(3), 'base64'))
  const isValid = [secrets].flat().some((secret) => {
    const expected = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest()
    return signatures.some(
      (signature) => signature.length === expected.length && timingSafeEqual(signature, expected),
    )
  })
  if (!isValid) throw new SignatureError('Invalid signature')
  return parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
}

/** Returns the key of a secret. An empty one, of a variable that is not set, would accept any sender. */
function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  if (key.length < 16) throw new TypeError('The secret must be whsec_ and base64')
  return key
}

function queryOf(parameters: Filter): string {
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(parameters))
    for (const value of [values ?? []].flat())
      query.append(name, value instanceof Date ? value.toISOString() : String(value))
  return query.size === 0 ? '' : `?${query}`
}

/** Reads a body to its end, decompressed. Whoever answers in place of the portal may send one without end. */
async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let isEnd = reader === undefined; !isEnd;) {
    const { done, value } = await reader!.read()
    isEnd = done
    text += decoder.decode(value, { stream: !done })
    if (text.length > longestAnswer) throw new Error(`the answer is longer than ${longestAnswer} characters`)
  }
  return text
}

/** Returns the path and query of the next page. The token is sent to no other host than the configured one. */
function nextLink(response: Response): string | null {
  const link = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
  if (link === undefined) return null
  const { pathname, search } = new URL(link, 'http://x')
  // A path that begins with two slashes would name a host.
  return pathname.replace(/^\/+/, '/') + search
}

/** Reads an error body; that of a proxy may be anything. */
function errorBody(text: string): { code?: string | null; message?: string | null; errors?: string[] | null } {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

/** Reads `Retry-After`: seconds or a date. */
function retryAfterOf(header: string | null): number | null {
  if (header === null) return null
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/** Returns why a request failed; fetch says it in the innermost cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  // Of several addresses that all fail, Node reports the code alone.
  return error.message || String((error as NodeJS.ErrnoException).code)
}

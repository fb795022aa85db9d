import { setTimeout as sleep } from 'node:timers/promises'
import { parseExact } from './exact-json.ts'
import { Failure, messageOf } from './failures.ts'
import type { Cell, ReceivedDeal, ReceivedEvent } from './tables.ts'

/** A page of the search. */
export interface DealPage {
  deals: ReceivedDeal[]
  next: string | null
}

export interface EventPage {
  events: ReceivedEvent[]
  /** The newest. */
  last: number
  /** Up to where the portal looked. */
  next: number
}

/** A comparison of a range of ids. */
export interface Comparison {
  missing: (number | string)[]
  stale: (number | string)[]
  gone: (number | string)[]
  /** Where it ended because too many are missing. */
  next: number | string | null
}

/** A refusal that no waiting mends. */
export class Refused extends Failure {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

interface ApiOptions {
  base: string
  token: string
  /** Ends waiting and running requests. */
  signal: AbortSignal
  log: (line: string) => void
}

const requestMs = 60_000
/** How often a request that fails is sent again; a limited one is not counted. */
const retries = 8
const longestPauseMs = 60_000
const longestRequestedPauseMs = 3_600_000
const shortestPauseMs = 200
/** A page has at most 16 MiB. */
const longestAnswer = 2 ** 26
const limited = 429

/** The portal's REST interface. */
export class Api {
  private readonly options: ApiOptions

  constructor(options: ApiOptions) {
    this.options = options
  }

  /** Reads a page of all deals; the first one without a cursor. */
  async search(cursor = ''): Promise<DealPage> {
    const place = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await this.call<DealPage>(`/api/deals/search?sort=id&limit=100${place}`)
    // The end of a load removes what no page had, so nothing else may look like an end.
    if (!Array.isArray(page.deals) || (page.next !== null && typeof page.next !== 'string'))
      throw new Failure('/api/deals/search: the answer is not a page of deals')
    return page
  }

  /** Reads events after a sequence, or the newest one (-1); waits for one for `waitS`. */
  events(after: number, { limit = 100, waitS = 0 } = {}): Promise<EventPage> {
    const wait = waitS === 0 ? '' : `&wait=${waitS}`
    return this.call<EventPage>(`/api/events?after=${after}&limit=${limit}${wait}`, { waitS })
  }

  /** Compares the ids and `lastModified` of the deals with `after < id <= upTo`. */
  compare(deals: [bigint, Cell][], after: bigint | null, upTo: bigint | null): Promise<Comparison> {
    const held = deals.map(
      ([id, lastModified]) => `{"id":${id},"lastModified":${JSON.stringify(lastModified)}}`,
    )
    return this.call<Comparison>('/api/events/reconcile', {
      body: `{"deals":[${held.join()}],"after":${after},"upTo":${upTo}}`,
    })
  }

  /** Reads a deal; null if there is none. */
  async deal(id: number | string): Promise<ReceivedDeal | null> {
    try {
      return await this.call<ReceivedDeal>(`/api/deals/${id}`)
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return null
      throw error
    }
  }

  private async call<T>(path: string, call: { body?: string; waitS?: number } = {}): Promise<T> {
    const { signal, log } = this.options
    for (let failures = 0; ;) {
      const result = await this.send(path, call)
      if ('json' in result) return result.json as T
      signal.throwIfAborted()
      if (result.status !== limited && ++failures > retries) throw new Failure(result.problem)
      const pauseMs = result.retryAfterMs ?? backOffMs(failures)
      log(`${result.problem}; next try in ${Math.ceil(pauseMs / 1000)} s`)
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  /** Sends a request once. @throws Refused if the answer would be the same again */
  private async send(
    path: string,
    { body, waitS = 0 }: { body?: string; waitS?: number },
  ): Promise<{ json: unknown } | { status: number; problem: string; retryAfterMs: number | null }> {
    const { base, token, signal } = this.options
    try {
      const response = await fetch(base + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'user-agent': 'partner-deals-copy',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
        // The token is for this portal only.
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs + waitS * 1000)]),
      })
      const text = await readText(response)
      if (response.status === 200) return { json: parseExact(text) }
      const problem = problemOf(response, text, path)
      if (response.status !== limited && response.status < 500) throw new Refused(response.status, problem)
      return { status: response.status, problem, retryAfterMs: retryAfterMs(response.headers) }
    } catch (error) {
      if (error instanceof Refused) throw error
      return { status: 0, problem: `${base}: ${messageOf(error)}`, retryAfterMs: null }
    }
  }
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

function problemOf(response: Response, text: string, path: string): string {
  const { status, headers } = response
  if (status >= 300 && status < 400)
    return `the portal redirects to ${headers.get('location')}: use that URL as --from`
  const [where] = path.split('?')
  try {
    const { message, errors } = JSON.parse(text) as { message?: string; errors?: string[] | null }
    return `${where}: ${status} ${message ?? ''}${errors == null ? '' : ` (${errors.join('; ')})`}`
  } catch {
    return `${where}: ${status}`
  }
}

/** Reads `Retry-After`: seconds or a date. A timer of more than 24 days would end at once. */
function retryAfterMs(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? ''
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, shortestPauseMs), longestRequestedPauseMs)
}

/** Doubles from a second, up to a minute, with half of it at random. */
function backOffMs(failures: number): number {
  const ms = Math.min(1000 * 2 ** (failures - 1), longestPauseMs)
  return ms / 2 + (Math.random() * ms) / 2
}

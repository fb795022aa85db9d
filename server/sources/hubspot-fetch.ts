import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { UndeliverableError, parseCidrs } from '../net/ip-address.ts'
import { systemResolve } from '../net/resolve.ts'
import { checkedUrl, makeSafeConnect } from '../net/safe-connect.ts'
import { storable } from '../values/short-text.ts'
import { retryAfterMs, dayMs, hourMs, secondMs, formatLimit } from '../values/units.ts'
import { reasonOf, LinkRejectedError, NotFoundError, SourceError } from './crm-source.ts'

/** Minimum intervals between requests, in milliseconds. */
export interface Pace {
  /** Interval between two searches. HubSpot allows five searches per second and account. */
  searchMs: number
  /**
   * Interval between any two requests. HubSpot's smallest plans allow 100 requests in ten seconds, ten of
   * which are reserved for files.
   */
  anyMs: number
  /** Delay before the first retry. It doubles with every retry. */
  retryMs: number
}

export interface CrmDeps {
  /** HubSpot's base URL. Set only by the environment, so the portal cannot send a token elsewhere. */
  hubspotUrl: string
  signal: AbortSignal
  pace?: Pace
  attempts?: number
}

/** Maximum attempts per request before the run ends. The next run resumes. */
const attemptsUsual = 6

const hubspotPace: Pace = { searchMs: 210, anyMs: 112, retryMs: 1000 }

// A page of 200 deals with 80 properties is about half a megabyte.
const bodyMaxBytes = 32 * 1024 * 1024
const timeoutMs = 30_000

// Enough for 256 MiB at 1 MB per second.
const fileTimeoutMs = 300_000

/** A longer delay ends the run, because the process keeps a lease for the duration of the run. */
const waitMaxMs = 20_000

const redirectsMax = 3
const redirects = new Set([301, 302, 303, 307, 308])

/** Connections to HubSpot, shared by all requests of this process. Idle connections close within seconds. */
const apiAgent = new Agent({ connect: { timeout: 10_000 } })

/** Connections for HubSpot's file URLs, restricted to public IP addresses. */
const fileAgent = new Agent({
  connect: makeSafeConnect({ allowed: parseCidrs('') }, systemResolve(3000), {
    timeoutMs: () => 10_000,
    signal: new AbortController().signal,
  }),
})

/** Sends requests to HubSpot one at a time and within its rate limits, and retries temporary failures. */
export class HubspotFetch {
  readonly #deps: Required<CrmDeps>
  readonly #token: string
  #freeAt = 0
  #searchFreeAt = 0
  #skewMs = 0

  constructor({ hubspotUrl, signal, pace = hubspotPace, attempts = attemptsUsual }: CrmDeps, token: string) {
    this.#deps = { hubspotUrl, signal, pace, attempts }
    this.#token = token
  }

  /** Returns the body of the response. @throws SourceError, NotFoundError */
  async call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
    const { signal, pace, attempts } = this.#deps
    for (let tries = 1; ; tries++) {
      const answer = await this.#attempt(method, path, body).catch((error: unknown) => {
        if (signal.aborted || error instanceof SourceError) throw error
        return failureOf(error)
      })
      if ('value' in answer) return answer.value
      const waitMs = waitMsOf(answer, tries, pace.retryMs)
      // An HTML page comes from a proxy or from another server.
      if (answer.status === 404 && answer.text !== '' && !isPage(answer))
        throw new NotFoundError(explainApiError(answer))
      if (waitMs === null) throw new SourceError(explainApiError(answer))
      if (tries >= attempts || waitMs > waitMaxMs) throw new SourceError(explainApiError(answer), waitMs)
      await sleep(waitMs, undefined, { signal })
    }
  }

  /**
   * Opens a signed HubSpot URL. Follows at most three redirects, and only over https to public IP addresses.
   * @throws LinkRejectedError for 403 and 404, SourceError
   */
  async open(url: string): Promise<Readable> {
    const signal = AbortSignal.any([this.#deps.signal, AbortSignal.timeout(fileTimeoutMs)])
    let target = url
    for (let hops = 0; hops <= redirectsMax; hops++) {
      const { statusCode, headers, body } = await this.#get(target, signal)
      if (statusCode === 200) return body
      await body.dump()
      const location = headers.location?.toString()
      if (!redirects.has(statusCode) || location === undefined) {
        const problem = `HubSpot responded with ${statusCode} to the URL of the file.`
        throw statusCode === 403 || statusCode === 404
          ? new LinkRejectedError(problem)
          : new SourceError(problem)
      }
      target = URL.parse(location, target)?.href ?? ''
    }
    throw new SourceError(`HubSpot redirects more than ${redirectsMax} times to the file.`)
  }

  async #get(url: string, signal: AbortSignal) {
    try {
      // The operator chose HubSpot's base URL, so it may be a private address.
      const isHubspot = URL.parse(url)?.origin === new URL(this.#deps.hubspotUrl).origin
      const target = isHubspot ? url : checkedUrl(url, { allowHttp: false })
      return await request(target, { dispatcher: isHubspot ? apiAgent : fileAgent, signal })
    } catch (error) {
      if (this.#deps.signal.aborted) throw error
      throw new SourceError(
        error instanceof UndeliverableError
          ? `HubSpot gave a URL for the file that is not opened: ${error.message}.`
          : explainApiError(failureOf(error)),
      )
    }
  }

  /** Returns HubSpot's current time, based on its last response. */
  nowMs(): number {
    return Date.now() + this.#skewMs
  }

  async #takeTurn(path: string): Promise<void> {
    const isSearch = path.endsWith('/search')
    const now = performance.now()
    const at = Math.max(now, this.#freeAt, isSearch ? this.#searchFreeAt : 0)
    this.#freeAt = at + this.#deps.pace.anyMs
    if (isSearch) this.#searchFreeAt = at + this.#deps.pace.searchMs
    if (at > now) await sleep(at - now, undefined, { signal: this.#deps.signal })
  }

  async #attempt(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
  ): Promise<FailedCall | { value: unknown }> {
    await this.#takeTurn(path)
    const answer = await request(this.#deps.hubspotUrl + path, {
      method,
      dispatcher: apiAgent,
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([this.#deps.signal, AbortSignal.timeout(timeoutMs)]),
    })
    const { statusCode, headers } = answer
    const date = Date.parse(headers.date?.toString() ?? '')
    // The header has whole seconds, so only significant clock skew is corrected.
    if (!Number.isNaN(date)) this.#skewMs = Math.abs(date - Date.now()) > 2000 ? date - Date.now() : 0
    const text = await readText(answer.body as AsyncIterable<Buffer>)
    if (statusCode >= 200 && statusCode < 300) return { value: parseStorable(text) }
    return {
      status: statusCode,
      retryAfterMs: retryAfterMs(headers['retry-after']?.toString(), Date.now()),
      text,
    }
  }
}

// Matches values that PostgreSQL cannot store: NUL, which pasting can add, and text that was cut in the
// middle of an emoji.
const mayBeUnstorable = /\\u(?:0000|d[89a-f])/i

/** Parses a body as JSON. Removes NUL and lone surrogates from strings, which a database cannot store. */
const parseStorable = (text: string): unknown =>
  JSON.parse(
    text,
    mayBeUnstorable.test(text)
      ? (_, value: unknown) => (typeof value === 'string' ? storable(value) : value)
      : undefined,
  )

/** Returns a body as text. @throws SourceError if it is too long */
async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > bodyMaxBytes)
      throw new SourceError(`HubSpot sent more than ${formatLimit(bodyMaxBytes)} at once.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

// https://developers.hubspot.com/docs/api-reference/error-handling

/** A failed call: an error response from HubSpot, or no response. */
export interface FailedCall {
  status: number | null
  retryAfterMs: number | null
  text: string
}

interface ErrorBody {
  message?: unknown
  policyName?: unknown
  category?: unknown
  errors?: unknown
}

function bodyOf({ text }: FailedCall): ErrorBody {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

/** Converts an error that was thrown instead of returning a JSON response to a failed call. */
export function failureOf(error: unknown): FailedCall {
  const { code, name, message } = error as { code?: string; name?: string; message?: string }
  if (error instanceof SyntaxError) return unusable('its response is not complete JSON')
  if (code === 'UND_ERR_INVALID_ARG')
    return unusable('the access token has invalid characters; copy it again')
  if (name === 'TimeoutError') return unusable('no response within 30 seconds')
  return unusable(reasonOf(code) ?? code ?? message ?? 'no response')
}

const unusable = (message: string): FailedCall => ({
  status: null,
  retryAfterMs: null,
  text: JSON.stringify({ message }),
})

/** HubSpot locks records for two seconds. */
const lockedMs = 2 * secondMs
const locked = 423
const migrating = 477

/** Returns the delay before a retry in milliseconds, or null if a retry is pointless. */
export function waitMsOf(refused: FailedCall, tries: number, retryMs: number): number | null {
  const { status } = refused
  const requested = refused.retryAfterMs === null ? null : Math.min(refused.retryAfterMs, dayMs)
  const growingMs = retryMs * 2 ** (tries - 1)
  if (status === 429) {
    // The day ends at midnight in the account's time zone, which is unknown here.
    if (isDaily(refused)) return requested ?? hourMs
    if (requested !== null) return Math.max(requested, growingMs)
    return /ten_secondly/i.test(limitOf(refused)) ? 10 * retryMs : growingMs
  }
  if (status === migrating) return requested ?? hourMs
  if (status === locked) return Math.max(requested ?? 0, lockedMs, growingMs)
  if (status === null || status >= 500 || status === 408) return Math.max(requested ?? 0, growingMs)
  return null
}

/**
 * Returns the name or message with which HubSpot reports the exceeded limit: `DAILY`, or "You have reached
 * your daily limit".
 */
function limitOf(refused: FailedCall): string {
  const { policyName, message } = bodyOf(refused)
  return String(policyName ?? message ?? '')
}

const isDaily = (refused: FailedCall) => /daily/i.test(limitOf(refused))

/** Returns an explanation of a failed call for the operator. */
export function explainApiError(refused: FailedCall): string {
  const { status } = refused
  const { message, category } = bodyOf(refused)
  const detail = typeof message === 'string' ? message.slice(0, 300).replace(/\.$/, '') : ''
  switch (status) {
    case null:
      return `HubSpot cannot be reached: ${detail}.`
    case 401:
      return category === 'EXPIRED_AUTHENTICATION'
        ? 'The access token has expired. Create a private app in HubSpot, whose token does not expire, and set it here.'
        : 'HubSpot rejects the access token. Create a new one in the private app and set it here.'
    case 403:
      return isPage(refused) ? refusedByFirewall : explainScopes(refused, detail)
    case 404:
      return `HubSpot responded with 404${detail === '' ? '' : `: ${detail}`}. Check HUBSPOT_URL, and any proxy.`
    case 407:
      return 'The proxy between this server and HubSpot requires a sign-in.'
    case 414:
      return 'HubSpot rejects the request because it names too many properties. Map fewer fields.'
    case locked:
      return 'HubSpot has locked the records for a moment. Reading continues shortly.'
    case 429:
      return isDaily(refused)
        ? 'The daily request limit of the HubSpot account is used up. Reading resumes when HubSpot accepts requests again.'
        : 'HubSpot limits the number of requests. Reading continues shortly.'
    case migrating: {
      const hours = Math.ceil((refused.retryAfterMs ?? 0) / hourMs)
      const until = hours === 0 ? '' : ` within ${hours === 1 ? 'an hour' : `${hours} hours`}`
      return `HubSpot is moving the account to another data center. Reading resumes${until}.`
    }
    default:
      return `HubSpot responded with ${status}${detail === '' ? '' : `: ${detail}`}.`
  }
}

const isPage = ({ text }: FailedCall) => /^\s*</.test(text)

const refusedByFirewall =
  'A firewall or proxy between this server and HubSpot refuses the request (403). The token may be right.'

/** Returns an explanation of missing scopes, naming the scopes that HubSpot lists. */
function explainScopes(refused: FailedCall, detail: string): string {
  const { errors } = bodyOf(refused)
  const contexts = (Array.isArray(errors) ? errors : []) as ({ context?: Record<string, unknown> } | null)[]
  const scopes = contexts.flatMap((error) => {
    const context = error?.context
    return context?.['requiredGranularScopes'] ?? context?.['requiredScopes'] ?? []
  })
  const names = [...new Set(scopes.filter((scope) => typeof scope === 'string'))].slice(0, 10)
  if (names.length === 0)
    return detail === ''
      ? 'HubSpot refuses access. Give the private app the scopes that it needs.'
      : `HubSpot refuses access: ${detail}.`
  return `The private app lacks the scope ${names.join(', ')}. Add it in HubSpot; the token stays the same.`
}

import { dayMs, hourMs, secondMs } from '../../values/units.ts'
import { reasonOf } from '../connection-reason.ts'

// https://developers.hubspot.com/docs/api-reference/error-handling

/** A failed call: an error response from HubSpot, or no response. */
export interface FailedCall {
  /** Null if there was no response. */
  status: number | null
  /** Delay requested by HubSpot, if any. */
  retryAfterMs: number | null
  text: string
}

/** Descriptive fields of a HubSpot error. */
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

export const isPage = ({ text }: FailedCall) => /^\s*</.test(text)

const refusedByFirewall =
  'A firewall or proxy between this server and HubSpot refuses the request (403). The token may be right.'

/** Returns an explanation of missing scopes, naming the scopes that HubSpot lists. */
function explainScopes(refused: FailedCall, detail: string): string {
  const { errors } = bodyOf(refused)
  const contexts = (Array.isArray(errors) ? errors : []) as ({ context?: Record<string, unknown> } | null)[]
  const scopes = contexts.flatMap((each) => {
    const context = each?.context
    return context?.['requiredGranularScopes'] ?? context?.['requiredScopes'] ?? []
  })
  const names = [...new Set(scopes.filter((scope) => typeof scope === 'string'))].slice(0, 10)
  if (names.length === 0)
    return detail === ''
      ? 'HubSpot refuses access. Give the private app the scopes that it needs.'
      : `HubSpot refuses access: ${detail}.`
  return `The private app lacks the scope ${names.join(', ')}. Add it in HubSpot; the token stays the same.`
}

import { hourMs, secondMs } from '../../protocol/units.ts'

/** A failed call: an error from HubSpot, or no response. */
export interface Refused {
  /** Null without a response. */
  status: number | null
  retryAfter: string | null
  text: string
}

/** The descriptive part of a HubSpot error. */
interface ErrorBody {
  message?: unknown
  policyName?: unknown
}

function bodyOf({ text }: Refused): ErrorBody {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

/** Returns a failed call without a response, or without JSON. */
export function failureOf(error: unknown): Refused {
  const { code, name, message } = error as { code?: string; name?: string; message?: string }
  const what = name === 'TimeoutError' ? 'no answer within 30 seconds' : (code ?? message ?? 'no answer')
  return { status: null, retryAfter: null, text: JSON.stringify({ message: what }) }
}

/** Returns the wait before a retry; null if it is pointless. */
export function waitMsOf(refused: Refused, tries: number, retryMs: number): number | null {
  const { status, retryAfter } = refused
  const asked = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) * secondMs : null
  if (status === 429) {
    if (asked !== null) return asked
    const { policyName } = bodyOf(refused)
    // The day ends at midnight in the account's time zone, which is not known here.
    if (policyName === 'DAILY') return hourMs
    return policyName === 'TEN_SECONDLY_ROLLING' ? 10 * retryMs : retryMs
  }
  if (status === null || status >= 500 || status === 408 || status === 423)
    return Math.max(asked ?? 0, retryMs * 2 ** (tries - 1))
  return null
}

/** Returns an error in words for the operator. */
export function explainApiError(refused: Refused): string {
  const { status } = refused
  const { message, policyName } = bodyOf(refused)
  const detail = typeof message === 'string' ? message.slice(0, 300).replace(/\.$/, '') : ''
  if (status === 401)
    return 'HubSpot rejects the access token. Create a new one in the private app and set it here.'
  if (status === 403)
    return `HubSpot refuses access: ${detail}. Give the private app the scopes that it needs.`
  if (status === 429)
    return policyName === 'DAILY'
      ? 'The daily limit of the HubSpot account is used up. Reading goes on once it allows requests again.'
      : 'HubSpot asks to slow down.'
  if (status === null) return `HubSpot cannot be reached: ${detail}.`
  return `HubSpot answered with ${status}${detail === '' ? '' : `: ${detail}`}.`
}

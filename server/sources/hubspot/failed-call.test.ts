import { describe, expect, test } from 'vitest'
import { retryAfterMs } from '../../values/retry-after.ts'
import { hourMs, minuteMs } from '../../values/units.ts'
import { type FailedCall, explainApiError, failureOf, waitMsOf } from './failed-call.ts'

const now = Date.UTC(2026, 10, 26)

const refused = (
  status: number | null,
  body: unknown = '',
  retryAfter: string | null = null,
): FailedCall => ({
  status,
  retryAfterMs: retryAfterMs(retryAfter, now),
  text: typeof body === 'string' ? body : JSON.stringify(body),
})
const html = '<html><head><title>502 Bad Gateway</title></head></html>'

describe('the wait before a retry', () => {
  const waitMs = (answer: FailedCall, tries = 1) => waitMsOf(answer, tries, 1000)

  test('is what HubSpot asks for, at most a day', () => {
    expect(waitMs(refused(429, { policyName: 'SECONDLY' }, '3'))).toBe(3000)
    expect(waitMs(refused(503, html, '7'))).toBe(7000)
    expect(waitMs(refused(477, {}, '43200'))).toBe(12 * hourMs)
    expect(waitMs(refused(477, {}, '999999999'))).toBe(24 * hourMs)
    const date = new Date(now + 5 * minuteMs).toUTCString()
    expect(waitMs(refused(429, {}, date))! / minuteMs).toBeCloseTo(5, 1)
    expect(waitMs(refused(429, {}, '5.5'))).toBe(5500)
    expect(waitMs(refused(429, {}, '0'), 3)).toBe(4000)
  })

  test('follows from the limit that was reached, if HubSpot names no time', () => {
    expect(waitMs(refused(429, { policyName: 'TEN_SECONDLY_ROLLING' }))).toBe(10_000)
    expect(waitMs(refused(429, { policyName: 'DAILY' }))).toBe(hourMs)
    // Some answers name the limit in words only.
    expect(waitMs(refused(429, { message: 'You have reached your daily limit.' }))).toBe(hourMs)
    expect(waitMs(refused(429, { message: 'You have reached your ten_secondly_rolling limit.' }))).toBe(
      10_000,
    )
    expect([1, 2, 3].map((tries) => waitMs(refused(429, html), tries))).toEqual([1000, 2000, 4000])
    expect(waitMs(refused(477))).toBe(hourMs)
    expect(waitMs(refused(423))).toBe(2000)
  })

  test('doubles after errors of a proxy and lost connections; other errors are not retried', () => {
    for (const status of [408, 500, 502, 503, 504, 521, null])
      expect([1, 2, 3].map((tries) => waitMs(refused(status, html), tries))).toEqual([1000, 2000, 4000])
    for (const status of [400, 401, 403, 404, 414]) expect(waitMs(refused(status))).toBeNull()
  })
})

describe('an error in words', () => {
  test('names missing scopes', () => {
    const body = {
      status: 'error',
      message: "This app hasn't been granted all required scopes to make this call.",
      category: 'MISSING_SCOPES',
      errors: [
        { message: 'One or more scopes', context: { requiredGranularScopes: ['crm.objects.owners.read'] } },
      ],
    }
    expect(explainApiError(refused(403, body))).toBe(
      'The private app lacks the scope crm.objects.owners.read. Add it in HubSpot; the token stays the same.',
    )
    expect(explainApiError(refused(403, { ...body, errors: [null, { context: null }] }))).toMatch(
      /^HubSpot refuses access: This app hasn't been granted/,
    )
    expect(explainApiError(refused(403))).toMatch(/^HubSpot refuses access. Give the private app/)
  })

  test('tells an expired token from a wrong one', () => {
    expect(explainApiError(refused(401, { category: 'EXPIRED_AUTHENTICATION' }))).toMatch(/has expired/)
    expect(explainApiError(refused(401, { category: 'INVALID_AUTHENTICATION' }))).toMatch(
      /rejects the access token/,
    )
  })

  test('says that a firewall or proxy refused the request, and not HubSpot', () => {
    const blocked = '<!DOCTYPE html>\n<title>Attention Required! | Cloudflare</title>'
    expect(explainApiError(refused(403, blocked))).toMatch(
      /^A firewall or proxy .* refuses the request \(403\)/,
    )
    expect(explainApiError(refused(407, html))).toMatch(/^The proxy .* requires a sign-in/)
    expect(explainApiError(refused(404, html))).toBe(
      'HubSpot responded with 404. Check HUBSPOT_URL, and any proxy.',
    )
  })

  test('says how long a migration takes, and never repeats a web page', () => {
    expect(explainApiError(refused(477, {}, '7200'))).toBe(
      'HubSpot is moving the account to another data center. Reading resumes within 2 hours.',
    )
    expect(explainApiError(refused(502, html))).toBe('HubSpot responded with 502.')
    expect(explainApiError(refused(414, html))).toMatch(/too many properties/)
    expect(explainApiError(failureOf({ code: 'SELF_SIGNED_CERT_IN_CHAIN' }))).toMatch(
      /^HubSpot cannot be reached: its certificate is not trusted; if a proxy .* NODE_EXTRA_CA_CERTS\.$/,
    )
    expect(explainApiError(failureOf({ code: 'ENOTFOUND' }))).toBe(
      'HubSpot cannot be reached: the host name is unknown.',
    )
    expect(explainApiError(failureOf({ code: 'UND_ERR_INVALID_ARG', message: 'invalid header' }))).toBe(
      'HubSpot cannot be reached: the access token has invalid characters; copy it again.',
    )
    expect(explainApiError(failureOf(new SyntaxError('Unexpected end of JSON input')))).toBe(
      'HubSpot cannot be reached: its response is not complete JSON.',
    )
  })
})

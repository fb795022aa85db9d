import { describe, expect, test } from 'vitest'
import { retryAfterMs, hourMs, minuteMs } from '../values/units.ts'
import { type FailedCall, explainApiError, failureOf, waitMsOf } from './hubspot-fetch.ts'

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

  test('is what HubSpot requests, up to a day', () => {
    expect(waitMs(refused(429, { policyName: 'SECONDLY' }, '3'))).toBe(3000)
    expect(waitMs(refused(503, html, '7'))).toBe(7000)
    expect(waitMs(refused(477, {}, '43200'))).toBe(12 * hourMs)
    expect(waitMs(refused(477, {}, '999999999'))).toBe(24 * hourMs)
    const date = new Date(now + 5 * minuteMs).toUTCString()
    expect(waitMs(refused(429, {}, date))! / minuteMs).toBeCloseTo(5, 1)
    expect(waitMs(refused(429, {}, '5.5'))).toBe(5500)
    expect(waitMs(refused(429, {}, '0'), 3)).toBe(4000)
  })

  test('depends on the limit that was reached if HubSpot states no time', () => {
    expect(waitMs(refused(429, { policyName: 'TEN_SECONDLY_ROLLING' }))).toBe(10_000)
    expect(waitMs(refused(429, { policyName: 'DAILY' }))).toBe(hourMs)
    // Some responses mention the limit only in the message.
    expect(waitMs(refused(429, { message: 'You have reached your daily limit.' }))).toBe(hourMs)
    expect(waitMs(refused(429, { message: 'You have reached your ten_secondly_rolling limit.' }))).toBe(
      10_000,
    )
    expect([1, 2, 3].map((tries) => waitMs(refused(429, html), tries))).toEqual([1000, 2000, 4000])
    expect(waitMs(refused(477))).toBe(hourMs)
    expect(waitMs(refused(423))).toBe(2000)
  })

  test('doubles after proxy errors and lost connections; other errors are not retried', () => {
    for (const status of [408, 500, 502, 503, 504, 521, null])
      expect([1, 2, 3].map((tries) => waitMs(refused(status, html), tries))).toEqual([1000, 2000, 4000])
    for (const status of [400, 401, 403, 404, 414]) expect(waitMs(refused(status))).toBeNull()
  })
})

describe('the explanation of a HubSpot error', () => {
  const scopes = {
    message: "This app hasn't been granted all required scopes to make this call.",
    errors: [{ context: { requiredGranularScopes: ['crm.objects.owners.read'] } }],
  }

  test.each([
    [refused(403, scopes), 'The private app lacks the scope crm.objects.owners.read. Add it in HubSpot;'],
    [
      refused(403, { ...scopes, errors: [null, { context: null }] }),
      "HubSpot refuses access: This app hasn't",
    ],
    [refused(403), 'HubSpot refuses access. Give the private app'],
    [refused(401, { category: 'EXPIRED_AUTHENTICATION' }), 'The access token has expired'],
    [refused(401, { category: 'INVALID_AUTHENTICATION' }), 'HubSpot rejects the access token'],
    [refused(403, '<!DOCTYPE html>\n<title>Cloudflare</title>'), 'A firewall or proxy between this server'],
    [refused(407, html), 'The proxy between this server and HubSpot requires a sign-in'],
    [refused(404, html), 'HubSpot responded with 404. Check HUBSPOT_URL'],
    [
      refused(477, {}, '7200'),
      'HubSpot is moving the account to another data center. Reading resumes within 2',
    ],
    [refused(502, html), 'HubSpot responded with 502.'],
    [refused(414, html), 'HubSpot rejects the request because it names too many properties'],
    [failureOf({ code: 'SELF_SIGNED_CERT_IN_CHAIN' }), 'HubSpot cannot be reached: its certificate is not'],
    [failureOf({ code: 'ENOTFOUND' }), 'HubSpot cannot be reached: the host name is unknown.'],
    [failureOf({ code: 'UND_ERR_INVALID_ARG' }), 'HubSpot cannot be reached: the access token has invalid'],
    [failureOf(new SyntaxError('')), 'HubSpot cannot be reached: its response is not complete JSON.'],
  ])('for %j begins with: %s', (call, words) => {
    expect(explainApiError(call).startsWith(words)).toBe(true)
    expect(explainApiError(call)).not.toContain('<')
  })
})

import { describe, expect, test } from 'vitest'
import { type Check, type Observations, type TestResult, diagnose } from './diagnosis.ts'
import type { Contact } from './safe-fetch.ts'

const now = new Date('2026-03-01T12:00:00Z')
const later = (days: number) => new Date(now.getTime() + days * 24 * 60 * 60 * 1000)
const connected: Contact = { stoppedBy: null, error: null, certifiedUntil: later(90) }
const answered = (status: number | null, more: Partial<TestResult> = {}): TestResult => ({
  id: 1,
  state: status !== null && status < 300 ? 'delivered' : 'failed',
  status,
  error: null,
  durationMs: 34,
  responseHeaders: '',
  responseBody: '',
  ...more,
})
const well: Observations = {
  url: 'https://a.example/',
  contact: connected,
  test: answered(200),
  forgery: answered(401),
  timeoutMs: 15_000,
}

/** Returns the message and severity of one check. */
function textOf(check: Check, seen: Partial<Observations>): string {
  const { verdict, text } = diagnose({ ...well, ...seen }, now).find((finding) => finding.check === check)!
  return `${verdict}: ${text}`
}

test('a correct endpoint passes every check', () => {
  expect(diagnose(well, now).map(({ check, verdict }) => [check, verdict])).toEqual(
    ['address', 'certificate', 'answer', 'redirect', 'accepts', 'refuses'].map((check) => [check, 'good']),
  )
})

test('reports an IP address that is not allowed', () => {
  const contact = { ...connected, stoppedBy: 'address' as const, error: 'the name does not resolve' }
  expect(textOf('address', { contact, test: undefined, forgery: undefined })).toMatch(
    /^bad: The name does not resolve\. Check the spelling/,
  )
})

describe('the certificate of an endpoint', () => {
  test.each([
    [90, 'good: Valid for 90 more days.'],
    [21, 'good: Valid for 21 more days.'],
    [20.9, 'warning: Valid for 20 more days.'],
    [1.5, 'warning: Valid for 1 more day.'],
    [0.5, 'warning: Valid for 0 more days.'],
  ])('with %d days left', (days, text) => {
    expect(textOf('certificate', { contact: { ...connected, certifiedUntil: later(days) } })).toContain(text)
  })

  test.each<[string, string, Partial<Contact>]>([
    ['info: None: the URL is http', 'http://a.example/', {}],
    ['unseen: No connection.', well.url, { stoppedBy: 'connection', error: 'the connection was refused' }],
    [
      'bad: The certificate is not valid: expired. Install',
      well.url,
      { stoppedBy: 'certificate', error: 'the certificate is not valid: expired' },
    ],
  ])('is reported as %j', (text, url, contact) => {
    const seen = { url, contact: { ...connected, certifiedUntil: null, ...contact } }
    expect(textOf('certificate', { ...seen, test: undefined, forgery: undefined })).toContain(text)
  })
})

describe('the response of an endpoint', () => {
  test.each([
    [34, 'good: Responded in 34 ms.'],
    [1234, 'good: Responded in 1.2 seconds.'],
    [5000, 'good: Responded in 5 seconds.'],
    [5001, 'warning: Took 5 seconds of the 15 seconds allowed.'],
    [14_960, 'warning: Took 15 seconds of the 15 seconds allowed.'],
  ])('after %d ms', (durationMs, text) => {
    expect(textOf('answer', { test: answered(200, { durationMs }) })).toContain(text)
  })

  test('is a problem if incomplete, whatever its status', () => {
    const test = answered(200, {
      state: 'failed',
      error: 'the connection was closed before the answer was complete',
    })
    expect(textOf('answer', { test, forgery: undefined })).toMatch(
      /^bad: The connection was closed before the answer was complete\./,
    )
    expect(textOf('accepts', { test, forgery: undefined })).toBe(
      'bad: Returned 200, but the response was incomplete.',
    )
  })
})

test.each([
  [300, 'bad'],
  [301, 'bad'],
  [308, 'bad'],
  [299, 'good'],
  [400, 'good'],
])('with status %d, which may be a redirect, is %s', (status, verdict) => {
  expect(textOf('redirect', { test: answered(status) })).toMatch(new RegExp(`^${verdict}: `))
})

test('explains that a Google Apps Script redirect has no final URL', () => {
  const responseHeaders = 'Location: https://script.googleusercontent.com/macros/echo?x'
  expect(textOf('redirect', { test: answered(302, { responseHeaders }) })).toMatch(/GET \/api\/events\.$/)
})

test.each([
  [400, 'current secret'],
  [401, 'current secret'],
  [404, 'path'],
  [405, 'POST'],
  [410, 'switches the endpoint off'],
  [500, 'your server’s log'],
  [503, 'your server’s log'],
  [403, 'skips this path', 'CF-Mitigated: challenge'],
  [404, 'tunnel is running', 'x: y\nngrok-error-code: ERR_NGROK_3200'],
])('with status %d to a test includes advice: %s', (status, advice, responseHeaders = '') => {
  expect(textOf('accepts', { test: answered(status, { responseHeaders }), forgery: undefined })).toMatch(
    new RegExp(`^bad: Returned ${status} .*${advice}`),
  )
})

test.each([
  [200, 'warning'],
  [204, 'warning'],
  [302, 'good'],
  [400, 'good'],
  [401, 'good'],
  [500, 'good'],
])('with status %d to a forged request is a %s', (status, verdict) => {
  expect(textOf('refuses', { forgery: answered(status) })).toMatch(
    new RegExp(`^${verdict}: .*\\(${status}\\)`),
  )
})

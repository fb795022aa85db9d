import { dayMs } from '../values/units.ts'
import { isDelivered } from './delivery.ts'
import type { Recorded } from './queue-store.ts'
import type { Contact } from './safe-fetch.ts'

/** Checks of an endpoint, in order of importance. */
export type Check = 'address' | 'certificate' | 'answer' | 'redirect' | 'accepts' | 'refuses'

/** Outcome of a check. `info` requires no action, and `unseen` means that the check was not possible. */
export type Verdict = 'good' | 'info' | 'warning' | 'bad' | 'unseen'

/** A finding about an endpoint, and what to do about it. */
export interface Finding {
  check: Check
  verdict: Verdict
  text: string
}

export type TestResult = Pick<
  Recorded,
  'id' | 'state' | 'status' | 'error' | 'durationMs' | 'responseHeaders' | 'responseBody'
>

/** Observations made while checking an endpoint. */
export interface Observations {
  url: string
  contact: Contact
  /** Result of a test event with a valid signature, or undefined if none was sent. */
  test: TestResult | undefined
  /** Result of a test event with an invalid signature, or undefined if none was sent. */
  forgery: TestResult | undefined
  timeoutMs: number
}

// Enough time to order and install a certificate.
const renewalDays = 21
/** Returns the findings about an endpoint as of `now`. */
export function diagnose(seen: Observations, now: Date): Finding[] {
  const { contact, test, forgery } = seen
  return [
    { check: 'address', ...judgeIpAddress(contact) },
    { check: 'certificate', ...judgeCertificate(seen, now) },
    { check: 'answer', ...judgeAnswer(seen) },
    { check: 'redirect', ...judgeRedirect(test) },
    { check: 'accepts', ...judgeAccepting(test) },
    { check: 'refuses', ...judgeRefusing(forgery) },
  ]
}

type Judgement = Omit<Finding, 'check'>

const good = (text: string): Judgement => ({ verdict: 'good', text })
const bad = (text: string): Judgement => ({ verdict: 'bad', text })
const warning = (text: string): Judgement => ({ verdict: 'warning', text })
const unseen = (text: string): Judgement => ({ verdict: 'unseen', text })

function judgeIpAddress({ stoppedBy, error }: Contact): Judgement {
  if (stoppedBy !== 'address') return good('Resolves to an allowed IP address.')
  return bad(
    `${sentence(error!)} Check the spelling, and that its DNS records name only public IP addresses.`,
  )
}

function judgeCertificate(
  { url, contact: { stoppedBy, error, certifiedUntil } }: Observations,
  now: Date,
): Judgement {
  if (stoppedBy === 'certificate')
    return bad(
      `${sentence(error!)} Install a valid certificate from a trusted authority; until then nothing is sent.`,
    )
  if (new URL(url).protocol === 'http:')
    return {
      verdict: 'info',
      text:
        'None: the URL is http, so others on the network can read and change events. ' +
        'Use https for anything but a trial.',
    }
  if (certifiedUntil === null) return unseen('No connection.')
  const days = Math.floor((certifiedUntil.getTime() - now.getTime()) / dayMs)
  const text = `Valid for ${days === 1 ? '1 more day' : `${days} more days`}`
  return days < renewalDays
    ? warning(`${text}. Renew it in time: without a valid certificate nothing is sent.`)
    : good(`${text}.`)
}

function judgeAnswer({ contact, test, timeoutMs }: Observations): Judgement {
  if (contact.stoppedBy === 'connection')
    return bad(
      `${sentence(contact.error!)} Check that the server is running and that its firewall allows requests ` +
        'from the internet.',
    )
  if (test === undefined) return unseen('No connection.')
  if (test.error !== null)
    return bad(`${sentence(test.error)} A complete response must arrive within ${seconds(timeoutMs)}.`)
  // A response three times as slow would time out.
  const isSlow = test.durationMs > timeoutMs / 3
  if (isSlow)
    return warning(
      `Took ${seconds(test.durationMs)} of the ${seconds(timeoutMs)} allowed. Respond first, then process the event.`,
    )
  return good(`Responded in ${test.durationMs < 1000 ? `${test.durationMs} ms` : seconds(test.durationMs)}.`)
}

function judgeRedirect(test: TestResult | undefined): Judgement {
  if (test === undefined || test.status === null) return unseen('No response.')
  if (!isRedirect(test)) return good('Responds directly.')
  const target = /^location: (.+)$/im.exec(test.responseHeaders)?.[1]
  const isAppsScript = target !== undefined && URL.parse(target)?.hostname === 'script.googleusercontent.com'
  return bad(
    `Redirects${target === undefined ? '' : ` to ${target}`} (${test.status}). Redirects are not followed: ` +
      (isAppsScript
        ? 'Google Apps Script cannot receive webhooks; let it read GET /api/events.'
        : 'set the final URL.'),
  )
}

function judgeAccepting(test: TestResult | undefined): Judgement {
  if (test === undefined || test.status === null) return unseen('No response.')
  if (isRedirect(test)) return unseen('Redirects to another URL.')
  if (test.state === 'delivered')
    return good(`Accepted a test event with a valid signature (${test.status}).`)
  if (isDelivered({ status: test.status, error: null }))
    return bad(`Returned ${test.status}, but the response was incomplete.`)
  return bad(
    `Returned ${test.status} to a test event with a valid signature; expected 200 to 299. ${advise(test.status, test)}`,
  )
}

function judgeRefusing(forgery: TestResult | undefined): Judgement {
  if (forgery === undefined) return unseen('Checked once a valid signature is accepted.')
  if (forgery.state === 'delivered')
    return warning(
      `Does not verify signatures: an invalid one was accepted too (${forgery.status}). ` +
        'Anyone who knows the URL can send forged events. Verify each request, ' +
        'and return 401 when verification fails.',
    )
  if (forgery.status === null || forgery.error !== null)
    return warning(
      `A test event with an invalid signature got no complete response: ${forgery.error}. Return 401.`,
    )
  return good(`Rejected a test event with an invalid signature (${forgery.status}).`)
}

function advise(status: number, { responseHeaders }: TestResult): string {
  if (/^cf-mitigated: /im.test(responseHeaders))
    return 'Cloudflare took the request for a bot: add a rule that skips this path.'
  if (/^ngrok-error-code: /im.test(responseHeaders))
    return 'ngrok responded instead of your server: check that the tunnel is running.'
  if (status === 404 || status === 405) return 'Check the path of the URL, and that it accepts POST.'
  if (status === 410) return 'In response to a real event, this switches the endpoint off.'
  if (status >= 500) return 'See your server’s log for the reason.'
  return 'Check that it verifies the raw body with the current secret, and requires nothing else.'
}

const isRedirect = ({ status }: TestResult) => status !== null && status >= 300 && status < 400

const seconds = (ms: number) => `${Number((ms / 1000).toFixed(1))} seconds`

const sentence = (reason: string) =>
  `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${reason.endsWith('?') ? '' : '.'}`

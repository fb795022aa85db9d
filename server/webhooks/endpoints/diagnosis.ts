import type { Contact } from '../courier/safe-fetch.ts'
import { isDelivered } from '../delivery.ts'
import type { TestResult } from '../send-test.ts'

/** What is looked at, in the order in which it matters. */
export type Check = 'address' | 'certificate' | 'answer' | 'redirect' | 'accepts' | 'refuses'

/** `info` asks for nothing; `unseen` could not be looked at. */
export type Verdict = 'good' | 'info' | 'warning' | 'bad' | 'unseen'

/** What was found out about an address, in words that say what to do. */
export interface Finding {
  check: Check
  verdict: Verdict
  text: string
}

/** What was seen of an address. */
export interface Seen {
  url: string
  contact: Contact
  /** What came of a test that was signed rightly; undefined when none was sent. */
  test: TestResult | undefined
  /** What came of one that was signed wrongly. */
  forgery: TestResult | undefined
  /** How long an answer may take. */
  timeoutMs: number
}

// Time enough to order a certificate and to put it in place.
const renewalDays = 21
const dayMs = 24 * 60 * 60 * 1000

/** What is good and what is not about an address, as seen at `now`. */
export function diagnose(seen: Seen, now: Date): Finding[] {
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
  if (stoppedBy !== 'address') return good('It leads to where events may be sent.')
  return bad(
    `${sentence(error!)} Check how it is spelled, and that its DNS entry names only addresses of the public internet.`,
  )
}

function judgeCertificate(
  { url, contact: { stoppedBy, error, certifiedUntil } }: Seen,
  now: Date,
): Judgement {
  if (stoppedBy === 'certificate')
    return bad(
      `${sentence(error!)} Nothing is sent until the server has a valid one, of an authority that is known everywhere.`,
    )
  if (new URL(url).protocol === 'http:')
    return {
      verdict: 'info',
      text: 'None: the address is http, so that anybody on the way can read and change what is sent. For anything but a trial use https.',
    }
  if (certifiedUntil === null) return unseen('No connection came about.')
  const days = Math.floor((certifiedUntil.getTime() - now.getTime()) / dayMs)
  const text = `It is valid for ${days === 1 ? '1 more day' : `${days} more days`}`
  return days < renewalDays
    ? warning(`${text}. Renew it in time: without a valid one nothing is sent.`)
    : good(`${text}.`)
}

function judgeAnswer({ contact, test, timeoutMs }: Seen): Judgement {
  if (contact.stoppedBy === 'connection')
    return bad(
      `${sentence(contact.error!)} Check that the server runs, and that its firewall lets requests from the internet in.`,
    )
  if (test === undefined) return unseen('No connection came about.')
  if (test.error !== null)
    return bad(
      `${sentence(test.error)} A whole answer has to come within ${seconds(timeoutMs)} of the request.`,
    )
  // Two more like this one, and events are late.
  const isSlow = test.durationMs > timeoutMs / 3
  if (isSlow)
    return warning(
      `It took ${seconds(test.durationMs)} of the ${seconds(timeoutMs)} that it has. Answer first, and work on what came afterwards.`,
    )
  return good(
    `It answered within ${test.durationMs < 1000 ? `${test.durationMs} ms` : seconds(test.durationMs)}.`,
  )
}

function judgeRedirect(test: TestResult | undefined): Judgement {
  if (test === undefined || test.status === null) return unseen('No answer came.')
  if (!isRedirect(test)) return good('It answers itself.')
  const target = /^location: (.+)$/im.exec(test.responseHeaders)?.[1]
  return bad(
    `It leads on${target === undefined ? '' : ` to ${target}`} (${test.status}), and redirects are not followed. Set the address at which the answer is given.`,
  )
}

function judgeAccepting(test: TestResult | undefined): Judgement {
  if (test === undefined || test.status === null) return unseen('No answer came.')
  if (isRedirect(test)) return unseen('It leads on to another address.')
  if (test.state === 'delivered') return good(`It accepted a test that is signed rightly (${test.status}).`)
  if (isDelivered({ status: test.status, whole: true }))
    return bad(`It answered with ${test.status}, but not to the end.`)
  return bad(
    `It answered a test that is signed rightly with ${test.status} instead of 200 to 299. ${advise(test.status)}`,
  )
}

function judgeRefusing(forgery: TestResult | undefined): Judgement {
  if (forgery === undefined) return unseen('Only an address that accepts what is signed rightly can show it.')
  if (forgery.state === 'delivered')
    return warning(
      `It does not verify signatures: a wrong one was accepted as well (${forgery.status}). Whoever knows the address can send it anything. Verify each request, and answer with 401 when that fails.`,
    )
  if (forgery.status === null || forgery.error !== null)
    return warning(`A test that is signed wrongly got no whole answer: ${forgery.error}. Answer with 401.`)
  return good(`It refused a test that is signed wrongly (${forgery.status}).`)
}

function advise(status: number): string {
  if (status === 404 || status === 405) return 'Check the path of the address, and that it takes POST.'
  if (status === 410) return 'To an event this answer switches the address off.'
  if (status >= 500) return 'Look for the reason in the log of your server.'
  return 'Check that it verifies the body exactly as it came, with your present secret, and asks for nothing else.'
}

const isRedirect = ({ status }: TestResult) => status !== null && status >= 300 && status < 400

const seconds = (ms: number) => `${Number((ms / 1000).toFixed(1))} seconds`

const sentence = (reason: string) => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`

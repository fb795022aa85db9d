import { hourMs, minuteMs } from '../../values/units.ts'

/** Why a mail was not sent, for the log and operators; never includes the recipient. */
export interface MailProblem {
  problem: string
  /** Whether another attempt would fail the same way: the mail server rejects this mail or recipient. */
  isPermanent: boolean
  /** Whether it rejects the recipient, and so every mail to it. */
  isRecipientRejected: boolean
  code: string | undefined
  responseCode: number | undefined
}

// Connection errors by message, with the sentence for each.
const connectionProblems: [RegExp, string][] = [
  [/ECONNREFUSED/, 'the mail server refuses connections'],
  [/ENOTFOUND|EAI_AGAIN|EDNS/, 'the name of the mail server cannot be resolved'],
  [/certificate|altnames|CERT_/i, 'the certificate of the mail server is not valid'],
  [/EHOSTUNREACH|ENETUNREACH/, 'the mail server cannot be reached'],
  [/SSL|TLS|wrong version/i, 'the mail server does not speak TLS as SMTP_URL asks for it'],
  [/timed? ?out|ETIMEDOUT/i, 'the mail server does not answer in time'],
]

/** Returns the problem that a mail client error indicates for this recipient. */
export function mailProblemOf(error: unknown, recipient: string): MailProblem {
  const {
    code,
    responseCode,
    command,
    message = '',
  } = error as { code?: string; responseCode?: number; command?: string; message?: string }
  const isRejected = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH'
  const isForeign = isRejected && code === 'EENVELOPE' && /[^ -~]/.test(recipient)
  return {
    problem: isForeign
      ? `the mail server rejects an e-mail address outside ASCII with ${responseCode}: it may lack SMTPUTF8`
      : sentenceOf(code, responseCode, message),
    isPermanent: isRejected,
    isRecipientRejected: isRejected && !isForeign && command === 'RCPT TO',
    code,
    responseCode,
  }
}

function sentenceOf(code: string | undefined, responseCode: number | undefined, message: string): string {
  if (code === 'EAUTH') return 'the mail server rejects the credentials in SMTP_URL'
  if (responseCode !== undefined)
    return `the mail server ${responseCode >= 500 ? 'rejects' : 'postpones'} the mail with ${responseCode}`
  const known = connectionProblems.find(([pattern]) => pattern.test(`${code} ${message}`))
  return known?.[1] ?? `the mail server cannot be used (${code ?? 'no code'})`
}

const waitsMs = [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 4 * hourMs, 12 * hourMs]

/** Returns the wait before the next attempt, or null if the mail would expire first. */
export function retryWaitMs(attempts: number, now: Date, expiresAt: Date): number | null {
  const waitMs = waitsMs[Math.min(attempts, waitsMs.length) - 1]!
  return now.getTime() + waitMs < expiresAt.getTime() ? waitMs : null
}

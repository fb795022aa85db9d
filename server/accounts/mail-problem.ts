import { hourMs, minuteMs } from '../values/units.ts'

/** The reason why an e-mail was not sent, for the log and for operators. Never includes the recipient. */
export interface MailProblem {
  problem: string
  /** True if another attempt would fail too, because the mail server rejects this e-mail or its recipient. */
  isPermanent: boolean
  /** True if the mail server rejects the recipient, and therefore every e-mail to that recipient. */
  isRecipientRejected: boolean
  code: string | undefined
  responseCode: number | undefined
}

// Patterns of connection errors, each with the sentence to report.
const connectionProblems: [RegExp, string][] = [
  [/ECONNREFUSED/, 'the mail server refuses connections'],
  [/ENOTFOUND|EAI_AGAIN|EDNS/, 'the name of the mail server cannot be resolved'],
  [/certificate|altnames|CERT_/i, 'the certificate of the mail server is not valid'],
  [/EHOSTUNREACH|ENETUNREACH/, 'the mail server cannot be reached'],
  [/SSL|TLS|wrong version/i, 'the mail server does not use TLS as SMTP_URL requires'],
  [/timed? ?out|ETIMEDOUT/i, 'the mail server does not respond in time'],
  [/greeting/i, 'the port in SMTP_URL does not belong to a mail server'],
  [/closed|ECONNRESET/i, 'the mail server closes the connection'],
]

interface ClientError {
  code?: string
  responseCode?: number
  /** The SMTP command that failed, such as `RCPT TO`. */
  command?: string
  /** The mail server's response, often with an enhanced status code such as 5.1.1 (RFC 3463). */
  response?: string
  message?: string
}

/**
 * Enhanced status codes that concern the recipient. All others concern the sender, its domain or its server.
 */
const ofRecipient = /^(?:1\.(?:0|1|2|3|4|6|10)|2\.[01]|4\.1|6\.7)$/

/** Words that refer to the sender, for responses without an enhanced status code. */
const ofSender =
  /sender|spf|dkim|dmarc|helo|dns|black ?list|block|relay|authenticat|polic|prohibit|spam|reputation|too many/i

/**
 * What a mail server rejects permanently: all mail from this portal, all mail to the recipient, this one
 * mail, or nothing.
 */
type Refused = 'portal' | 'recipient' | 'mail' | null

/** Returns what the mail server rejects permanently. A full mailbox is temporary. */
function refusedIn({ code, responseCode = 0, command, response = '', message = '' }: ClientError): Refused {
  if (code === 'EMESSAGE' && responseCode === 0 && /larger than allowed/i.test(message)) return 'mail'
  if (responseCode < 500 || code === 'EAUTH') return null
  const status = /\b5\.(\d{1,3}\.\d{1,3})\b/.exec(response)?.[1]
  const isSize = status === '3.4' || (responseCode === 552 && command !== 'RCPT TO')
  if (command === 'DATA' || isSize) return 'mail'
  if (command !== 'RCPT TO') return 'portal'
  if (status === '2.2' || responseCode === 552 || /quota|mailbox (?:is )?full/i.test(response)) return null
  if (responseCode === 530) return 'portal'
  const words = response.split(' ').filter((word) => !word.includes('@'))
  const isOfRecipient = status === undefined ? !ofSender.test(words.join(' ')) : ofRecipient.test(status)
  return isOfRecipient ? 'recipient' : 'portal'
}

/** Returns the problem that an error of the mail client indicates. */
export function mailProblemOf(error: unknown, recipient: string): MailProblem {
  const client = error as ClientError
  const { code, responseCode } = client
  const refused = refusedIn(client)
  const isForeign = refused === 'recipient' && /[^ -~]/.test(recipient)
  return {
    problem: isForeign
      ? `the mail server rejects an e-mail address outside ASCII with ${responseCode}: it may lack SMTPUTF8`
      : sentenceOf(client, refused),
    // If the server rejects the whole portal, the operator can change the settings, after which the e-mail is
    // sent.
    isPermanent: refused === 'recipient' || refused === 'mail',
    isRecipientRejected: refused === 'recipient' && !isForeign,
    code,
    responseCode,
  }
}

function sentenceOf({ code, responseCode, command, message = '' }: ClientError, refused: Refused): string {
  if (code === 'EAUTH')
    return (responseCode ?? 0) >= 400 && responseCode! < 500
      ? `the mail server cannot check the credentials at the moment (${responseCode})`
      : 'the mail server rejects the credentials in SMTP_URL'
  if (responseCode === 530) return 'the mail server requires credentials or TLS in SMTP_URL (530)'
  if (refused === 'portal')
    return command === 'MAIL FROM'
      ? `the mail server rejects the sender with ${responseCode}: set ?from= in SMTP_URL`
      : `the mail server accepts no mail from this portal (${responseCode})`
  if (responseCode === undefined && refused === 'mail')
    return 'the mail is larger than the mail server allows'
  if (responseCode !== undefined)
    return `the mail server ${refused === null ? 'postpones' : 'rejects'} the mail with ${responseCode}`
  const known = connectionProblems.find(([pattern]) => pattern.test(`${code} ${message}`))
  return known?.[1] ?? `the mail server cannot be used (${code ?? 'no code'})`
}

const waitsMs = [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 4 * hourMs, 12 * hourMs]

/** Returns how long to wait before the next attempt, or null if the e-mail expires before then. */
export function retryWaitMs(attempts: number, now: Date, expiresAt: Date): number | null {
  const waitMs = waitsMs[Math.min(attempts, waitsMs.length) - 1]!
  return now.getTime() + waitMs < expiresAt.getTime() ? waitMs : null
}

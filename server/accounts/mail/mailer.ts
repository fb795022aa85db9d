import { randomBytes } from 'node:crypto'
import { createTransport } from 'nodemailer'
import type { Database, Transaction } from '#db/client.ts'
import { RetryLaterError } from '../../jobs/attempt-job.ts'
import { decryptFor, encryptFor } from '../../values/encryption.ts'
import { parseSender } from '../../values/input.ts'
import { dayMs, minuteMs } from '../../values/units.ts'
import { type MailProblem, mailProblemOf, retryWaitMs } from './mail-problem.ts'
import { type StoredMail, deleteMail, insertMail, postponeMail, takeMail } from './mail-store.ts'
import type { Mail } from './mail.ts'

/** The purpose of a mail. */
interface MailPurpose {
  /** The hash of the link that it contains; the mail is dropped with it. */
  linkHash: string
  /** How long the mail is worth sending. */
  usefulMs: number
}

/** Sends mail. */
export interface Mailer {
  /** Sends the mail. Returns false when it was not sent (yet); the reason is reported. */
  send(to: string, mail: Mail, purpose?: MailPurpose): Promise<boolean>
}

/** A mailer that retries. */
export interface RetryingMailer extends Mailer {
  /** Sends a stored mail, unless it was sent. @throws RetryLaterError if it has to be tried again */
  sendStored(id: number): Promise<void>
  /** Makes one attempt without storing the mail. */
  sendNow: SendNow
}

/** Sends a mail now. Returns the reason for a failure, or null. */
export type SendNow = (to: string, mail: Mail) => Promise<MailProblem | null>

// An unresponsive server must not delay shutdown; nodemailer itself waits for minutes.
const timeoutMs = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** Headers that prevent automatic replies (RFC 3834, and the header of Exchange). */
const noReplies = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/** A transport for the SMTP server, and the sender in its URL. */
function openTransport(smtpUrl: string) {
  const server = new URL(smtpUrl)
  const from = server.searchParams.get('from')
  server.searchParams.delete('from')
  for (const [name, ms] of Object.entries(timeoutMs))
    if (!server.searchParams.has(name)) server.searchParams.set(name, String(ms))
  return {
    from,
    transport: createTransport(server.href, { disableFileAccess: true, disableUrlAccess: true }),
  }
}

/**
 * Creates a sender that uses the SMTP server at `smtpUrl`. Its `?from=` sets the address and optionally the name
 * of the sender, which otherwise is no-reply at the host of `publicUrl`.
 */
export function makeSmtpSender(smtpUrl: string, publicUrl: string): SendNow {
  const { transport, from: typed } = openTransport(smtpUrl)
  const sender = parseSender(typed ?? '')
  const from = {
    name: sender?.name || 'Partner Deals',
    address: sender?.address ?? `no-reply@${new URL(publicUrl).hostname}`,
  }
  return async (to, mail) => {
    try {
      // An object, because nodemailer parses a string with commas as several addresses.
      const headers = { ...noReplies, ...mail.headers }
      await transport.sendMail({ from, to: { name: '', address: to }, ...mail, headers })
      return null
    } catch (error) {
      return mailProblemOf(error, to)
    }
  }
}

/** The mail server, without sending anything. */
export interface MailServer {
  /** Returns why it accepts no connection or credentials, tried at most once a minute; null if it does. */
  problem(): Promise<string | null>
}

/** Returns the SMTP server at `smtpUrl`. */
export function makeMailServer(smtpUrl: string): MailServer {
  const { transport } = openTransport(smtpUrl)
  let known: Promise<string | null> | null = null
  let checkedAt = 0
  return {
    problem() {
      if (known !== null && performance.now() - checkedAt <= minuteMs) return known
      checkedAt = performance.now()
      const check = transport.verify().then(
        () => null,
        (error: unknown) => mailProblemOf(error, '').problem,
      )
      // Only the first caller waits for an unresponsive server.
      if (known === null) known = check
      else void check.then(() => (known = check))
      return known
    },
  }
}

const owner = 'mail'

/**
 * Returns a mailer that stores each mail encrypted until it is sent. After a temporary failure or a crash, a
 * worker retries while the mail is useful.
 */
export function makeMailer(
  db: Database,
  key: Buffer,
  sendNow: SendNow,
  report: (problem: MailProblem & { willRetry: boolean }) => void,
): RetryingMailer {
  /** Returns the wait before the next attempt; null if there is none. */
  async function attempt(mail: Omit<StoredMail, 'encrypted'>, content: Mail): Promise<Attempt> {
    const failure = await sendNow(mail.recipient, content)
    if (failure === null) {
      await deleteMail(db, mail.id)
      return { isSent: true, waitMs: null }
    }
    const waitMs = failure.isPermanent ? null : retryWaitMs(mail.attempts, new Date(), mail.expiresAt)
    report({ ...failure, willRetry: waitMs !== null })
    await postponeMail(db, mail.id, failure.problem, waitMs)
    return { isSent: false, waitMs }
  }
  return {
    async send(recipient, mail, purpose) {
      const { linkHash = null, usefulMs = 3 * dayMs } = purpose ?? {}
      const stored = storedForm(key, recipient, mail, usefulMs)
      const id = await insertMail(db, { ...stored, linkHash, isAttempted: true })
      const { expiresAt } = stored
      return id !== null && (await attempt({ id, recipient, expiresAt, attempts: 1 }, mail)).isSent
    },
    sendNow,
    async sendStored(id) {
      const mail = await takeMail(db, id)
      if (mail === null) return
      if (mail.expiresAt.getTime() <= Date.now())
        return postponeMail(db, id, 'the mail expired before it could be sent', null)
      const content = decrypt(mail.encrypted, key)
      if (content === null) return postponeMail(db, id, 'the mail cannot be decrypted', null)
      const { waitMs } = await attempt(mail, content)
      if (waitMs !== null) throw new RetryLaterError('the mail was not sent', waitMs)
    },
  }
}

interface Attempt {
  isSent: boolean
  /** The wait before the next one; null if there is none. */
  waitMs: number | null
}

/** Returns the content of a mail; null if it was encrypted with another key. */
function decrypt(encrypted: string, key: Buffer): Mail | null {
  try {
    return JSON.parse(decryptFor(owner, encrypted, key)) as Mail
  } catch {
    return null
  }
}

/** Stores a mail in the transaction; a worker sends it right after the commit. */
export async function enqueueMail(
  tx: Transaction,
  key: Buffer,
  recipient: string,
  mail: Mail,
  usefulForMs: number,
): Promise<void> {
  const stored = storedForm(key, recipient, mail, usefulForMs)
  await insertMail(tx, { ...stored, linkHash: null, isAttempted: false })
}

const storedForm = (key: Buffer, recipient: string, mail: Mail, usefulMs: number) => ({
  recipient,
  encrypted: encryptFor(owner, JSON.stringify(mail), key, randomBytes),
  expiresAt: new Date(Date.now() + usefulMs),
})

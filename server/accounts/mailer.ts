import { randomBytes } from 'node:crypto'
import { createTransport } from 'nodemailer'
import type { Database, Transaction } from '#db/client.ts'
import { RetryLaterError } from '../jobs/attempt-job.ts'
import { decryptFor, encryptFor } from '../values/encryption.ts'
import { parseSender } from '../values/input.ts'
import { dayMs, minuteMs } from '../values/units.ts'
import { type MailProblem, mailProblemOf, retryWaitMs } from './mail-problem.ts'
import { type StoredMail, deleteMail, insertMail, postponeMail, takeMail } from './mail-store.ts'
import type { Mail } from './mail.ts'
import type { PartnerId } from './partner.ts'
import { readAdmins } from './user-store.ts'

interface MailPurpose {
  /** The hash of the link in the e-mail. If the link is deleted, the e-mail is not sent. */
  linkHash: string
  /** How long the e-mail is useful; no attempts are made after that. */
  usefulMs: number
}

export interface Mailer {
  /** Sends the e-mail. Returns false if the first attempt fails; the reason is logged. */
  send(to: string, mail: Mail, purpose?: MailPurpose): Promise<boolean>
}

/** A mailer that repeats failed attempts. */
export interface RetryingMailer extends Mailer {
  /**
   * Sends a stored e-mail, unless it has already been sent.
   * @throws RetryLaterError if it has to be tried again
   */
  sendStored(id: number): Promise<void>
  /** Makes a single attempt without storing the e-mail. */
  sendNow: SendNow
}

/** Makes a single attempt to send an e-mail. Returns the reason for a failure, or null. */
export type SendNow = (to: string, mail: Mail) => Promise<MailProblem | null>

// An unresponsive server must not delay shutdown, and nodemailer's default timeouts are minutes.
const timeoutMs = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** Headers that prevent automatic replies: one from RFC 3834, and one for Exchange. */
const noReplies = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/** Returns a transport for the SMTP server, and the sender named in the URL. */
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
 * Returns a function that sends mail through the SMTP server at `smtpUrl`. Its parameter `?from=` sets the
 * sender's address and optionally the name. The default address is no-reply at the host of `publicUrl`.
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
      // An array of objects is not parsed: in a string, nodemailer would read commas as separators of
      // addresses.
      const headers = { ...noReplies, ...mail.headers }
      await transport.sendMail({ from, to: { name: '', address: to }, ...mail, headers })
      return null
    } catch (error) {
      return mailProblemOf(error, to)
    }
  }
}

/** The mail server, for checking that it works. */
export interface MailServer {
  /**
   * Returns the reason why the server accepts no connections or rejects the credentials, or null if it works.
   * Checks at most once a minute.
   */
  problem(): Promise<string | null>
}

/** Returns the mail server at `smtpUrl`. */
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
      // Only the first caller waits for the check; later callers get the previous result.
      if (known === null) known = check
      else void check.then(() => (known = check))
      return known
    },
  }
}

const owner = 'mail'

/**
 * Returns a mailer that stores e-mails encrypted until they are sent. If an attempt fails temporarily or the
 * process crashes, a worker tries again as long as the e-mail is useful.
 */
export function makeMailer(
  db: Database,
  key: Buffer,
  sendNow: SendNow,
  report: (problem: MailProblem & { willRetry: boolean }) => void,
): RetryingMailer {
  /** Makes one attempt to send a stored e-mail. */
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
  /** Wait before the next attempt; null if there is none. */
  waitMs: number | null
}

/** Returns the decrypted mail, or null if it was encrypted with another key. */
function decrypt(encrypted: string, key: Buffer): Mail | null {
  try {
    return JSON.parse(decryptFor(owner, encrypted, key)) as Mail
  } catch {
    return null
  }
}

/** Stores an e-mail as part of the transaction. A worker sends the e-mail right after the commit. */
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

/** E-mails all admins of a partner. Returns the number of e-mails sent; 0 if there is no mail server. */
export async function notifyAdmins(
  { db, mailer }: { db: Database; mailer: Mailer | null },
  partnerId: PartnerId,
  mail: Mail,
): Promise<number> {
  if (mailer === null) return 0
  const mailed = await Promise.all(
    (await readAdmins(db, partnerId)).map(({ email }) => mailer.send(email, mail)),
  )
  return mailed.filter(Boolean).length
}

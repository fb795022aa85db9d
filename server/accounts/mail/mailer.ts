import { createTransport } from 'nodemailer'
import type { Mail } from './mail.ts'

/** Sends mail. */
export interface Mailer {
  /** Sends the mail. Returns false when the mail server rejects it; the reason is reported. */
  send(to: string, mail: Mail): Promise<boolean>
}

/** The reply of a mail server, without the recipient. */
export interface MailFailure {
  code: string | undefined
  responseCode: number | undefined
}

// An unresponsive server must not delay shutdown; nodemailer itself waits for minutes.
const patienceMs = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/**
 * Returns a mailer that uses the server at `smtpUrl`. Its `?from=` sets the sender, which otherwise is
 * no-reply at the host of `publicUrl`.
 */
export function makeMailer(
  smtpUrl: string,
  publicUrl: string,
  report: (failure: MailFailure) => void,
): Mailer {
  const server = new URL(smtpUrl)
  const from = {
    name: 'Partner Deals',
    address: server.searchParams.get('from') ?? `no-reply@${new URL(publicUrl).hostname}`,
  }
  server.searchParams.delete('from')
  for (const [name, ms] of Object.entries(patienceMs))
    if (!server.searchParams.has(name)) server.searchParams.set(name, String(ms))
  const transport = createTransport(server.href, { disableFileAccess: true, disableUrlAccess: true })
  return {
    async send(to, mail) {
      try {
        // As an object, so that one e-mail address is never read as several.
        await transport.sendMail({ from, to: { name: '', address: to }, ...mail })
        return true
      } catch (error) {
        const { code, responseCode } = error as Partial<MailFailure>
        report({ code, responseCode })
        return false
      }
    },
  }
}

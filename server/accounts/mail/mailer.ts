import { createTransport } from 'nodemailer'
import type { Mail } from './mail.ts'

/** Sends mail. */
export interface Mailer {
  /** Whether the mail server took it; why not is reported. */
  send(to: string, mail: Mail): Promise<boolean>
}

/** What a mail server said, without the address that it was about. */
export interface MailFailure {
  code: string | undefined
  responseCode: number | undefined
}

// A server that does not answer must not keep a stop waiting; nodemailer itself waits for minutes.
const patienceMs = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/**
 * Returns a mailer over the server at `smtpUrl`. `?from=` in it is who mails are from; without it no-reply at
 * the host of `publicUrl`.
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
        // As an object, so that no address is read as several.
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

import { SMTPServer } from 'smtp-server'
import { listenLocally } from './loopback.ts'

/** A mail as the recipient's server received it. */
export interface ReceivedMail {
  /** Recipients in the SMTP envelope. */
  to: string[]
  /** Unfolded headers by lower-case name. */
  headers: ReadonlyMap<string, string>
  /** The plain text part. */
  text: string
}

/** A mail server on loopback that accepts every mail. */
export interface MailServer {
  url: string
  mails: ReceivedMail[]
  /** Returns all mails to this e-mail address. */
  to(email: string): ReceivedMail[]
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address)
        mails.push({ to, ...parseMail(Buffer.concat(chunks).toString()) })
        done()
      })
    },
  })
  const { url, close } = await listenLocally(server.server)
  return {
    url: url.replace('http', 'smtp'),
    mails,
    to: (email) => mails.filter(({ to }) => to.includes(email)),
    close,
  }
}

/** Parses an email with a text part followed by an HTML part (RFC 5322, RFC 2046). */
function parseMail(mail: string): Omit<ReceivedMail, 'to'> {
  const { headers, body } = parsePart(mail)
  const [, boundary] = /boundary="([^"]+)"/.exec(headers.get('content-type')!)!
  const first = parsePart(body.split(`--${boundary}`)[1]!.trimStart())
  const bytes =
    first.headers.get('content-transfer-encoding') === 'base64'
      ? Buffer.from(first.body, 'base64')
      : Buffer.from(unquote(first.body), 'latin1')
  return { headers, text: bytes.toString().replaceAll('\r\n', '\n') }
}

function parsePart(part: string) {
  const end = part.indexOf('\r\n\r\n')
  const lines = part
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
    }),
  )
  return { headers, body: part.slice(end + 4) }
}

/** Decodes quoted-printable text to bytes (RFC 2045). */
const unquote = (text: string) =>
  text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

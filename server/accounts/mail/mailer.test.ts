import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailFailure, makeMailer } from './mailer.ts'

const received: { from: string; to: string[]; text: string }[] = []
const server = new SMTPServer({
  disabledCommands: ['STARTTLS', 'AUTH'],
  onRcptTo: ({ address }, _session, done) =>
    done(
      address.startsWith('refused')
        ? Object.assign(new Error('no such mailbox'), { responseCode: 550 })
        : null,
    ),
  onData(stream, { envelope }, done) {
    let text = ''
    stream.on('data', (chunk: Buffer) => {
      text += chunk
    })
    stream.on('end', () => {
      received.push({
        from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
        to: envelope.rcptTo.map(({ address }) => address),
        text,
      })
      done()
    })
  },
})
let smtpUrl: string
const failures: MailFailure[] = []
const mail = { subject: 'A subject', text: 'Some text\n', html: '<p>Some text</p>' }

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  smtpUrl = `smtp://127.0.0.1:${(server.server.address() as { port: number }).port}`
})
afterAll(() => new Promise<void>((resolve) => void server.close(resolve)))

const mailer = (query = '') =>
  makeMailer(smtpUrl + query, 'https://deals.example.com:8443', (failure) => void failures.push(failure))

test('a mail arrives as text and as HTML, from no-reply at the host of the portal', async () => {
  expect(await mailer().send('ana@sunline.example', mail)).toBe(true)
  const { from, to, text } = received.at(-1)!
  expect({ from, to }).toEqual({ from: 'no-reply@deals.example.com', to: ['ana@sunline.example'] })
  expect(text).toMatch(/^From: Partner Deals <no-reply@deals.example.com>\r$/m)
  expect(text).toMatch(/^To: ana@sunline.example\r$/m)
  for (const part of [
    'Subject: A subject',
    'Content-Type: text/plain',
    'Content-Type: text/html',
    '<p>Some text</p>',
  ])
    expect(text).toContain(part)
})

test('or from whom the address of the server names', async () => {
  await mailer('/?from=portal%40installer.example').send('ana@sunline.example', mail)
  expect(received.at(-1)!.from).toBe('portal@installer.example')
})

test('an address is one address, and a subject one line, whatever they contain', async () => {
  for (const to of [
    'a@sunline.example, b@evil.example',
    'a@sunline.example\r\nBcc: b@evil.example',
    '<a@sunline.example> b@evil.example',
  ])
    await mailer().send(to, mail)
  await mailer().send('ana@sunline.example', { ...mail, subject: 'A\r\nBcc: b@evil.example\r\n\r\nHello' })
  for (const { to, text } of received) {
    expect(to).toHaveLength(1)
    expect(text).not.toMatch(/^Bcc:/m)
  }
})

test('what is not taken is reported without the address', async () => {
  expect(await mailer().send('refused@sunline.example', mail)).toBe(false)
  expect(failures.at(-1)).toEqual({ code: 'EENVELOPE', responseCode: 550 })
  expect(
    await makeMailer(
      'smtp://127.0.0.1:1',
      'http://localhost:3000',
      (failure) => void failures.push(failure),
    ).send('ana@sunline.example', mail),
  ).toBe(false)
  expect(failures.at(-1)).toEqual({ code: 'ESOCKET', responseCode: undefined })
})

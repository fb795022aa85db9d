import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeMailServer, makeSmtpSender } from './mailer.ts'

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
const mail = { subject: 'A subject', text: 'Some text\n', html: '<p>Some text</p>' }

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  smtpUrl = `smtp://127.0.0.1:${(server.server.address() as { port: number }).port}`
})
afterAll(() => new Promise<void>((resolve) => void server.close(resolve)))

const send = (to: string, what = mail, query = '') =>
  makeSmtpSender(smtpUrl + query, 'https://deals.example.com:8443')(to, what)
const sendBy = (url: string) => makeSmtpSender(url, 'http://localhost:3000')('ana@sunline.example', mail)

test("a mail arrives as text and HTML, from no-reply at the portal's host", async () => {
  expect(await send('ana@sunline.example')).toBeNull()
  const { from, to, text } = received.at(-1)!
  expect({ from, to }).toEqual({ from: 'no-reply@deals.example.com', to: ['ana@sunline.example'] })
  expect(text).toMatch(/^From: Partner Deals <no-reply@deals.example.com>\r$/m)
  expect(text).toMatch(/^To: ana@sunline.example\r$/m)
  for (const part of [
    'Subject: A subject',
    'Auto-Submitted: auto-generated',
    'Content-Type: text/plain',
    'Content-Type: text/html',
    '<p>Some text</p>',
  ])
    expect(text).toContain(part)
})

test('a mail is sent from the sender in SMTP_URL, if there is one', async () => {
  await send('ana@sunline.example', mail, '/?from=portal%40installer.example')
  expect(received.at(-1)!.from).toBe('portal@installer.example')
  const named = encodeURIComponent('Sunline Solar <portal@installer.example>')
  expect(await send('ana@sunline.example', mail, `/?from=${named}`)).toBeNull()
  expect(received.at(-1)!.text).toMatch(/^From: Sunline Solar <portal@installer.example>\r$/m)
})

test('recipients and subjects cannot inject headers', async () => {
  for (const to of [
    'a@sunline.example, b@evil.example',
    'a@sunline.example\r\nBcc: b@evil.example',
    '<a@sunline.example> b@evil.example',
  ])
    await send(to)
  await send('ana@sunline.example', { ...mail, subject: 'A\r\nBcc: b@evil.example\r\n\r\nHello' })
  for (const { to, text } of received) {
    expect(to).toHaveLength(1)
    expect(text).not.toMatch(/^Bcc:/m)
  }
})

test('a rejection by the mail server is reported without the recipient', async () => {
  expect(await send('refused@sunline.example')).toEqual({
    problem: 'the mail server rejects the mail with 550',
    isPermanent: true,
    isRecipientRejected: true,
    code: 'EENVELOPE',
    responseCode: 550,
  })
})

test('an unusable mail server is reported with the cause, and retried later', async () => {
  const secure = new SMTPServer({ secure: true, disabledCommands: ['AUTH'] })
  const strict = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(new Error('no')),
  })
  const portOf = async (server: SMTPServer) => {
    server.on('error', () => {})
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return (server.server.address() as { port: number }).port
  }
  const [securePort, strictPort] = [await portOf(secure), await portOf(strict)]
  for (const [url, problem] of [
    ['smtp://127.0.0.1:1', 'the mail server refuses connections'],
    [`smtps://127.0.0.1:${securePort}`, 'the certificate of the mail server is not valid'],
    [`smtps://127.0.0.1:${strictPort}`, 'the mail server does not use TLS as SMTP_URL requires'],
    [`smtp://ana:wrong@127.0.0.1:${strictPort}`, 'the mail server rejects the credentials in SMTP_URL'],
  ] as const)
    expect(await sendBy(url)).toMatchObject({ problem, isPermanent: false })
  await Promise.all([secure, strict].map((each) => new Promise<void>((resolve) => void each.close(resolve))))
})

test('a non-ASCII address uses SMTPUTF8, and fails with a reason if the server lacks support', async () => {
  const plain = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    hideSMTPUTF8: true,
    onRcptTo: (_address, _session, done) =>
      done(Object.assign(new Error('bad address syntax'), { responseCode: 553 })),
  })
  await once(plain.listen(0, '127.0.0.1'), 'listening')
  const plainUrl = `smtp://127.0.0.1:${(plain.server.address() as { port: number }).port}`
  for (const address of ['josé@sunline.example', '用户@例子.example'])
    expect(await makeSmtpSender(plainUrl, 'http://localhost:3000')(address, mail)).toMatchObject({
      problem: 'the mail server rejects an e-mail address outside ASCII with 553: it may lack SMTPUTF8',
      isPermanent: true,
      isRecipientRejected: false,
    })
  await new Promise<void>((resolve) => void plain.close(resolve))
  expect(await send('josé@sunline.example')).toBeNull()
  expect(received.at(-1)!.to).toEqual(['josé@sunline.example'])
})

test('checks the mail server without sending a mail', async () => {
  const before = received.length
  expect(await makeMailServer(smtpUrl).problem()).toBeNull()
  const away = makeMailServer('smtp://127.0.0.1:1')
  expect(await away.problem()).toBe('the mail server refuses connections')
  expect(await away.problem()).toBe('the mail server refuses connections')
  expect(received).toHaveLength(before)
})

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import { invite, issueLink, mailLink } from './link.ts'
import type { MailProblem } from './mail-problem.ts'
import { readMailHealth } from './mail-store.ts'
import { makeMailServer, makeMailer, makeSmtpSender } from './mailer.ts'
import type { PartnerId } from './partner.ts'
import { insertPartner } from './store.ts'
import { saveInvited } from './user-store.ts'

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

describe('a mailer', () => {
  const publicUrl = 'https://deals.example.com'
  const key = randomBytes(32)
  let database: TestDatabase
  let partnerId: PartnerId
  let outcome: MailProblem | null
  let texts: string[]
  let reported: unknown[]
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())
  beforeEach(async () => {
    partnerId = (await insertPartner(database.db, crypto.randomUUID(), 'Sunline'))!.id
    await database.db.$client`delete from mails`
    await database.db.$client`delete from pgboss.job`
    outcome = null
    texts = []
    reported = []
  })

  const away: MailProblem = {
    problem: 'refused',
    isPermanent: false,
    isRecipientRejected: false,
    code: 'ESOCKET',
    responseCode: undefined,
  }
  const mailer = () =>
    makeMailer(
      database.db,
      key,
      async (_to, mail) => {
        if (outcome === null) texts.push(mail.text)
        return outcome
      },
      (problem) => void reported.push(problem),
    )
  const mails = () =>
    database.db.$client<{ recipient: string; encrypted: string | null; attempts: number; problem: string }[]>`
    select recipient, encrypted, attempts, problem from mails`
  const makeDue = () => database.db.$client`update pgboss.job set start_after = now()`
  const sendDue = (own = mailer()) =>
    runDueJobs(database.db, { mail: ({ mailId }) => own.sendStored(mailId) })

  async function inviteBen(own = mailer()) {
    const member = {
      email: `${crypto.randomUUID()}@sunline.example`,
      name: 'Ben',
      role: 'member',
      partnerId,
    } as const
    const link = (await invite({ db: database.db, publicUrl }, member))!
    const mailed = await mailLink({ db: database.db, mailer: own }, member.email, link, 'Sunline')
    return { member, link, mailed }
  }

  test('a mail sent immediately is not stored', async () => {
    expect((await inviteBen()).mailed).toBe(true)
    expect([texts.length, await mails(), reported]).toEqual([1, [], []])
  })

  test('a deferred mail is stored encrypted, and sent once by one of several workers', async () => {
    outcome = away
    const { link, mailed } = await inviteBen()
    expect(mailed).toBe(false)
    expect(reported).toEqual([{ ...away, willRetry: true }])
    const [queued] = await mails()
    expect(queued).toMatchObject({ attempts: 1, problem: 'refused' })
    expect(queued!.encrypted).not.toContain(link.slice(-43))
    expect(await readMailHealth(database.db)).toEqual({ waiting: 1, failed: 0, problem: 'refused' })
    await sendDue()
    expect(texts).toEqual([])
    outcome = null
    await makeDue()
    await Promise.all([sendDue(), sendDue()])
    expect(texts).toEqual([expect.stringContaining(link)])
    expect(await readMailHealth(database.db)).toEqual({ waiting: 0, failed: 0, problem: null })
  })

  test('a worker sends a mail whose sender was killed during the attempt', async () => {
    const killed = makeMailer(
      database.db,
      key,
      () => Promise.reject(new Error('killed')),
      () => {},
    )
    await inviteBen(killed).catch(() => {})
    await sendDue()
    expect(texts).toEqual([])
    await makeDue()
    await sendDue()
    expect(texts).toHaveLength(1)
  })

  test('a permanently rejected mail is listed as failed, without its content', async () => {
    outcome = { ...away, problem: 'rejected', isPermanent: true, responseCode: 550 }
    await inviteBen()
    expect(reported).toEqual([{ ...outcome, willRetry: false }])
    expect(await mails()).toMatchObject([{ encrypted: null, problem: 'rejected' }])
    expect(await readMailHealth(database.db)).toEqual({ waiting: 0, failed: 1, problem: 'rejected' })
  })

  test('a mail is dropped with its link: a replaced invitation is not sent', async () => {
    outcome = away
    const { member } = await inviteBen()
    const user = (await saveInvited(database.db, member))!
    await issueLink({ db: database.db, publicUrl }, user.id, 'invitation')
    outcome = null
    expect(await mails()).toEqual([])
  })

  test('an expired mail is not sent', async () => {
    outcome = away
    await inviteBen()
    outcome = null
    await database.db.$client`update mails set expires_at = now()`
    await makeDue()
    await sendDue()
    expect(texts).toEqual([])
    expect(await readMailHealth(database.db)).toMatchObject({ waiting: 0, failed: 1 })
  })

  test('a mail that cannot be decrypted fails without affecting others', async () => {
    outcome = away
    await inviteBen()
    const { link } = await inviteBen()
    outcome = null
    await database.db.$client`update mails set encrypted = 'x' where id = (select min(id) from mails)`
    await makeDue()
    await sendDue()
    expect(texts).toEqual([expect.stringContaining(link)])
    expect(await readMailHealth(database.db)).toMatchObject({ waiting: 0, failed: 1 })
  })
})

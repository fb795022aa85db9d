import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { actorOfRequest } from '../access/actor.ts'
import { makeAccessLoader } from '../access/token-access.ts'
import type { Mail } from '../accounts/mail.ts'
import { type RetryingMailer, makeMailer } from '../accounts/mailer.ts'
import { insertPartner } from '../accounts/store.ts'
import { api } from '../api.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { deleteDeal } from '../deals/removal-store.ts'
import { toApiError } from '../errors.ts'
import { directoryStorage } from '../files/disk-storage.ts'
import { storagesOf } from '../files/storage.ts'
import { sendMissingJobs } from '../jobs/send-store.ts'
import { readContent } from '../notifications/delivery-store.ts'
import { fanOutFiles } from '../notifications/fan-out-store.ts'
import { stopMail } from '../notifications/store.ts'
import type { Services } from '../runtime/services.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { findLateQuestions, mailQuestions, remindOfQuestion } from './mail-messages.ts'

let database: TestDatabase
let dataDir: string
let services: Services
const mails: (Mail & { to: string })[] = []
let mailer: RetryingMailer
beforeAll(async () => {
  database = await createTestDatabase()
  const sendNow = async (to: string, mail: Mail) => {
    mails.push({ to, ...mail })
    return null
  }
  mailer = makeMailer(database.db, Buffer.alloc(32), sendNow, () => {})
  dataDir = await mkdtemp(join(tmpdir(), 'messages-'))
  services = {
    db: database.db,
    access: makeAccessLoader(database.db),
    storages: storagesOf(directoryStorage({ directory: dataDir }), null),
    config: { publicUrl: 'https://deals.example.com', fileUrlTtlS: 60 },
    fileKey: Buffer.alloc(32),
    mailer,
    log: { warn() {} },
    background: () => {},
  } as unknown as Services
})
afterAll(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true })
})

let last = 700
const deal = (id: bigint, partnerId: number | null, more: object = {}) =>
  writeDeals(
    database.db,
    [{ record: { id, dealname: `Deal of ${id}`, ...more }, partnerId: partnerId as never }],
    {
      now: new Date(),
      events: true,
    },
  )
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => toApiError(error).code,
  )

type Caller = Awaited<ReturnType<typeof callerOf>>
async function callerOf(role: 'admin' | 'member' | 'operator', partnerId: number | null, slug?: string) {
  const context = await signedIn(services, { role, partnerId, slug: slug ?? null })
  const { messages, files, team } = api.createCaller(context)
  return { messages, files, team, user: context.actor.user, partnerId }
}

/** Creates a deal of a new partner, two of its users, a user of another partner, and an operator. */
async function makeWorld() {
  const partner = (await insertPartner(database.db, `p${++last}`, `Partner ${last}`))!
  const other = (await insertPartner(database.db, `p${++last}`, `Partner ${last}`))!
  const dealId = String(++last)
  await deal(BigInt(dealId), partner.id)
  const [ana, ben, eve, olivia] = await Promise.all([
    callerOf('member', partner.id),
    callerOf('admin', partner.id),
    callerOf('admin', other.id),
    callerOf('operator', null),
  ])
  const ask = (who: Caller = ana, text = 'When is the inspection?') =>
    who.messages.ask({ dealId, text, files: [] })
  const threadsOf = async (who: Caller) => (await who.messages.threads({ dealId })).threads
  return { partner, other, dealId, ana, ben, eve, olivia, ask, threadsOf }
}

/** Sends the mail that is due after the wait for readers, and returns the recipients. */
async function mailed(): Promise<string[]> {
  mails.length = 0
  await database.db.$client`
    update pgboss.job set start_after = now() where name = 'question-mail' and start_after < now() + interval '1 minute'`
  await makeMails()
  await runDueJobs(database.db, { mail: ({ mailId }) => mailer.sendStored(mailId) })
  return mails.map(({ to }) => to)
}
/** Runs the due jobs that store mail. Returns the problems of failed jobs. */
async function makeMails(): Promise<string[]> {
  const deps = { db: database.db, publicUrl: 'https://deals.example.com', encryptionKey: Buffer.alloc(32) }
  await findLateQuestions(database.db)
  return runDueJobs(database.db, {
    'question-mail': ({ threadId }) => mailQuestions(deps, threadId),
    'question-reminder': ({ threadId }) => remindOfQuestion(deps, threadId),
  })
}
/** Clears the pending mail of other tests. */
async function quiet() {
  await database.db.$client`update messages set mail_due_at = null`
  await database.db.$client`update threads set mailed_at = null`
  await database.db.$client`delete from pgboss.job`
}
/** Makes this the only question that needs a reminder, by opening it 25 hours ago. */
async function makeLate(threadId: number) {
  await database.db.$client`update threads set reminded_at = now() where id <> ${threadId}`
  await database.db
    .$client`update threads set waiting_since = now() - interval '25 hours' where id = ${threadId}`
}
/** Advances the time until the next messages are mailed. */
async function pass() {
  await database.db.$client`update threads set mailed_at = mailed_at - interval '10 minutes'`
  await database.db.$client`update pgboss.job set start_after = now()`
}

describe('a question', () => {
  test('can be answered, resolved and reopened, and each side sees the state', async () => {
    const { ana, olivia, dealId, ask, threadsOf } = await makeWorld()
    const eventCount = async () =>
      (await database.db.$client`select from events where deal_id = ${dealId}`).length
    const before = await eventCount()
    const { threadId: id } = await ask()
    expect(await threadsOf(olivia)).toMatchObject([
      {
        id,
        text: 'When is the inspection?',
        isInstaller: false,
        messageCount: 1,
        waitingSince: expect.any(Date),
      },
    ])
    await olivia.messages.answer({ id, text: ' On Friday. ', files: [] })
    expect(await threadsOf(ana)).toMatchObject([{ messageCount: 2, waitingSince: null, resolvedAt: null }])
    expect((await ana.messages.thread({ id })).messages).toMatchObject([
      { text: 'When is the inspection?', isMine: true, isInstaller: false },
      { text: 'On Friday.', isMine: false, isInstaller: true },
    ])
    await ana.messages.resolve({ id })
    expect(await threadsOf(ana)).toMatchObject([{ resolvedAt: expect.any(Date) }])
    await ana.messages.reopen({ id })
    expect(await threadsOf(ana)).toMatchObject([{ resolvedAt: null, waitingSince: null }])
    // A new message also reopens the question.
    await ana.messages.resolve({ id })
    await ana.messages.answer({ id, text: 'Which Friday?', files: [] })
    expect(await threadsOf(ana)).toMatchObject([{ resolvedAt: null, waitingSince: expect.any(Date) }])
    await ana.messages.resolve({ id })
    expect(await threadsOf(ana)).toMatchObject([{ waitingSince: null }])
    await ana.messages.reopen({ id })
    expect(await threadsOf(ana)).toMatchObject([{ waitingSince: expect.any(Date) }])
    expect(dealId).toBe(String((await ana.messages.thread({ id })).dealId))
    // Webhooks receive no events about messages.
    expect(await eventCount()).toBe(before)
  })

  test('is read in pages, newest first, without gaps or repetitions', async () => {
    const { ana, olivia, ask } = await makeWorld()
    const { threadId: id } = await ask()
    for (let at = 1; at <= 120; at++) await olivia.messages.answer({ id, text: `Answer ${at}`, files: [] })
    const pages = [await ana.messages.thread({ id })]
    for (let cursor; (cursor = pages[0]!.next) !== null;)
      pages.unshift(await ana.messages.thread({ id, cursor }))
    expect(pages.map(({ messages }) => messages.length)).toEqual([21, 50, 50])
    expect(pages.flatMap(({ messages }) => messages.map(({ text }) => text))).toEqual([
      'When is the inspection?',
      ...Array.from({ length: 120 }, (_, at) => `Answer ${at + 1}`),
    ])
  })

  test('is unread for everyone except the author until it is read', async () => {
    const { ana, ben, olivia, ask, threadsOf } = await makeWorld()
    const { threadId: id } = await ask()
    await olivia.messages.answer({ id, text: 'On Friday', files: [] })
    expect(await threadsOf(ana)).toMatchObject([{ unreadCount: 1 }])
    expect(await threadsOf(ben)).toMatchObject([{ unreadCount: 2 }])
    expect(await threadsOf(olivia)).toMatchObject([{ unreadCount: 0 }])
    const messageId = (await ben.messages.thread({ id })).messages.at(-1)!.id
    await ben.messages.read({ id, messageId })
    await ben.messages.read({ id, messageId: 1 })
    expect(await threadsOf(ben)).toMatchObject([{ unreadCount: 0 }])
    expect(await threadsOf(ana)).toMatchObject([{ unreadCount: 1 }])
  })

  test('is rejected if it is empty, or about a deal without a partner', async () => {
    const { ana, olivia, ask } = await makeWorld()
    expect(await codeOf(ask(ana, ' \n '))).toBe('BAD_REQUEST')
    expect(await codeOf(ask(ana, 'x'.repeat(4001)))).toBe('BAD_REQUEST')
    const ownerless = BigInt(++last)
    await deal(ownerless, null)
    const asked = olivia.messages.ask({ dealId: String(ownerless), text: 'Whose is it?', files: [] })
    expect(await codeOf(asked)).toBe('BAD_REQUEST')
  })

  test('is hidden from other partners with its files, and they cannot change it', async () => {
    const { ana, eve, dealId, ask } = await makeWorld()
    const { threadId: id, messageId } = await ask()
    const { messages } = eve
    const file = { name: 'a.pdf', sizeBytes: 1 }
    const upload = await ana.messages.beginFile({ dealId, ...file })
    for (const call of [
      () => messages.threads({ dealId }),
      () => messages.list({ id: dealId }),
      () => messages.thread({ id }),
      () => messages.mentionable({ dealId }),
      () => messages.mentionable({ dealId, threadId: id }),
      () => messages.ask({ dealId, text: 'x', files: [] }),
      () => messages.answer({ id, text: 'x', files: [] }),
      () => messages.resolve({ id }),
      () => messages.reopen({ id }),
      () => messages.read({ id, messageId }),
      () => messages.beginFile({ dealId, ...file }),
      () => messages.beginFile({ dealId, threadId: id, ...file }),
      () => messages.appendFile({ ...upload, offset: 0, bytes: Buffer.from('x') }),
      () => messages.discardFile(upload),
    ])
      expect([call.toString(), await codeOf(call())]).toEqual([call.toString(), 'NOT_FOUND'])
  })

  test('only operators see the questions of all partners, saved replies and reminders', async () => {
    const { ana, ben } = await makeWorld()
    for (const { messages } of [ana, ben])
      for (const call of [
        () => messages.questions({ state: 'open', partner: null }),
        () => messages.openCount(),
        () => messages.askers(),
        () => messages.replies(),
        () => messages.saveReply({ id: null, title: 'x', text: 'x' }),
        () => messages.removeReply({ id: 1 }),
        () => messages.reminder(),
        () => messages.setReminder({ hours: 1 }),
      ])
        expect(await codeOf(call())).toBe('FORBIDDEN')
  })

  test('stays with its partner when the deal moves, and is deleted with the deal', async () => {
    const { ana, eve, olivia, dealId, other, partner, ask, threadsOf } = await makeWorld()
    const { threadId: id } = await ask()
    await deal(BigInt(dealId), other.id)
    expect(await threadsOf(eve)).toEqual([])
    expect((await eve.messages.list({ id: dealId })).count).toBe(0)
    expect(await codeOf(eve.messages.thread({ id }))).toBe('NOT_FOUND')
    expect(await codeOf(ana.messages.thread({ id }))).toBe('NOT_FOUND')
    expect(await threadsOf(olivia)).toMatchObject([{ id, isMoved: true, partner: partner.name }])
    expect(await codeOf(olivia.messages.answer({ id, text: 'Too late', files: [] }))).toBe('BAD_REQUEST')
    await deal(BigInt(dealId), partner.id)
    expect(await threadsOf(ana)).toMatchObject([{ id, isMoved: false }])
    await deleteDeal(database.db, BigInt(dealId))
    expect(await codeOf(olivia.messages.thread({ id }))).toBe('NOT_FOUND')
    expect(await database.db.$client`select from messages where thread_id = ${id}`).toHaveLength(0)
  })

  test('keeps the name of a removed author', async () => {
    const { ana, ben, ask } = await makeWorld()
    const { threadId: id } = await ask()
    await ben.team.remove({ id: ana.user.id, evenLast: false })
    expect((await ben.messages.thread({ id })).messages).toMatchObject([{ authorName: 'Ana', isMine: false }])
  })
})

describe('an attached file', () => {
  async function upload(who: Caller, dealId: string, threadId?: number) {
    const { id } = await who.messages.beginFile({ dealId, threadId, name: 'roof.png', sizeBytes: 4 })
    await who.messages.appendFile({ id, offset: 0, bytes: Buffer.from('roof') })
    return id
  }

  test('is attached to a message, shown only there, and stays with the message when the deal moves', async () => {
    const { ana, ben, eve, olivia, dealId, other, ask } = await makeWorld()
    const { threadId: id } = await ask()
    const fileId = await upload(ana, dealId, id)
    await ana.messages.answer({ id, text: 'This is the roof', files: [fileId] })
    expect((await ben.messages.thread({ id })).messages.at(-1)).toMatchObject({
      files: [{ id: fileId, name: 'roof.png', type: 'image/png', sizeBytes: 4 }],
    })
    expect(await olivia.files.list({ dealId })).toEqual([])
    // The file does not count as a new file of the deal for followers.
    await database.db.$client`insert into follows (user_id, deal_id) values (${ben.user.id}, ${dealId})`
    const jobs = await database.db.$client<{ data: { fileIds: string[] } }[]>`
      select data from pgboss.job where name = 'notify-of-files'`
    expect(jobs.flatMap(({ data }) => data.fileIds)).not.toContain(fileId)
    await fanOutFiles(database.db, ana.partnerId as never, [fileId])
    expect(await database.db.$client`select from notifications where user_id = ${ben.user.id}`).toHaveLength(
      0,
    )
    expect(await ben.files.get({ id: fileId })).toMatchObject({ name: 'roof.png' })
    expect(await codeOf(eve.files.get({ id: fileId }))).toBe('NOT_FOUND')
    await deal(BigInt(dealId), other.id)
    expect(await codeOf(eve.files.get({ id: fileId }))).toBe('NOT_FOUND')
    expect(await eve.files.list({ dealId })).toEqual([])
  })

  test('is stored with its message or not at all, and can be attached again', async () => {
    const { ana, dealId, ask } = await makeWorld()
    const { threadId: id } = await ask()
    const fileIds = [await upload(ana, dealId, id), await upload(ana, dealId, id)]
    const { $client: sql } = database.db
    const count = async () => {
      const [row] = await sql<[{ files: number; attached: number; uploads: number; entries: number }]>`
        select (select count(*)::int from files where id = any(${fileIds})) as files,
          (select count(*)::int from message_files where file_id = any(${fileIds})) as attached,
          (select count(*)::int from file_uploads where id = any(${fileIds})) as uploads,
          (select count(*)::int from audit_entries where action = 'file.added' and subject = ${`roof.png (deal ${dealId})`}) as entries`
      return row
    }
    const send = (files: string[]) => codeOf(ana.messages.answer({ id, text: 'The roof', files }))
    const none = { files: 0, attached: 0, uploads: 2, entries: 0 }
    // The limit on messages is checked after the contents are stored.
    await sql`
      insert into spending (user_id, partner_id, what, began_at, amount)
      values (${ana.user.id}, null, 'messages', date_trunc('minute', now(), 'UTC'), 30)
      on conflict (user_id, partner_id, what) do update set began_at = excluded.began_at, amount = 30`
    expect(await send(fileIds)).toBe('TOO_MANY_REQUESTS')
    expect(await count()).toEqual(none)
    await sql`delete from spending where user_id = ${ana.user.id}`
    // The question has the maximum number of messages.
    await sql`
      insert into messages (thread_id, author_name, is_installer, text)
      select ${id}, 'A', false, 'x' from generate_series(2, 500)`
    expect(await send(fileIds)).toBe('BAD_REQUEST')
    expect(await count()).toEqual(none)
    await sql`delete from messages where thread_id = ${id} and author_name = 'A'`
    // One of two files does not exist.
    expect(await send([...fileIds, 'x'.repeat(22)])).toBe('NOT_FOUND')
    expect(await count()).toEqual(none)
    expect(await send(fileIds)).toBe(null)
    expect(await count()).toEqual({ files: 2, attached: 2, uploads: 0, entries: 2 })
  })

  test('can only be attached by its uploader, once, and in threads', async () => {
    const { ana, ben, olivia, dealId, ask } = await makeWorld()
    const { threadId: id } = await ask()
    const fileId = await upload(ana, dealId)
    const attach = (who: Caller) => codeOf(who.messages.answer({ id, text: 'x', files: [fileId] }))
    expect(await attach(ben)).toBe('NOT_FOUND')
    expect(await codeOf(olivia.files.finish({ id: fileId }))).toBe('NOT_FOUND')
    expect(await attach(ana)).toBe(null)
    expect(await attach(ana)).toBe('BAD_REQUEST')
    expect((await ana.messages.thread({ id })).messages).toHaveLength(2)
    const ofDeal = await olivia.files.begin({ dealId, name: 'a.pdf', kind: 'permit', sizeBytes: 1 })
    expect(await codeOf(olivia.messages.appendFile({ ...ofDeal, offset: 0, bytes: Buffer.from('x') }))).toBe(
      'NOT_FOUND',
    )
    expect(await codeOf(ana.files.begin({ dealId, name: 'a.pdf', kind: 'permit', sizeBytes: 1 }))).toBe(
      'FORBIDDEN',
    )
  })
})

describe('mail about messages', () => {
  test('goes to the people responsible for the deal, or to all operators if there are none, with a link to the thread', async () => {
    const { ana, olivia, dealId, partner, ask } = await makeWorld()
    const paul = await callerOf('operator', null)
    await quiet()
    const { threadId: id } = await ask()
    const team = await mailed()
    expect(team).toEqual(expect.arrayContaining([olivia.user.email, paul.user.email]))
    expect(team).not.toContain(ana.user.email)
    expect(mails[0]).toMatchObject({
      subject: `Question about Deal of ${dealId}`,
      text: expect.stringContaining(`https://deals.example.com/deals/${dealId}?thread=${id}#answer`),
    })
    expect(await mailed()).toEqual([])
    // The deal now waits for the permit, for which Paul is responsible.
    await deal(BigInt(dealId), partner.id, {
      stage: 'Permit Submitted',
      permitSubmitted: new Date().toISOString(),
      permitCoordinator: { id: 5n, email: paul.user.email, firstName: 'Paul', lastName: null },
    })
    await ask(ana, 'And the permit?')
    expect(await mailed()).toEqual([paul.user.email])
  })

  test('goes to all operators if the responsible user has turned off mail, but to no operator who has', async () => {
    const { olivia, dealId, partner, ask } = await makeWorld()
    const [paul, rita] = await Promise.all([callerOf('operator', null), callerOf('operator', null)])
    await deal(BigInt(dealId), partner.id, {
      stage: 'Permit Submitted',
      permitSubmitted: new Date().toISOString(),
      permitCoordinator: { id: 5n, email: paul.user.email, firstName: 'Paul', lastName: null },
    })
    await quiet()
    await stopMail(database.db, paul.user.id)
    await database.db.$client`
      insert into notification_settings (user_id, mail_rejected_at) values (${rita.user.id}, now())`
    const { threadId } = await ask()
    const team = await mailed()
    expect(team).toContain(olivia.user.email)
    for (const { user } of [paul, rita]) expect(team).not.toContain(user.email)
    await makeLate(threadId)
    const reminded = await mailed()
    expect(reminded).toContain(olivia.user.email)
    for (const { user } of [paul, rita]) expect(reminded).not.toContain(user.email)
  })

  test('has list and thread headers, and the same message id on each attempt', async () => {
    const { olivia, dealId, ask } = await makeWorld()
    await quiet()
    const { threadId } = await ask()
    const own = () => mails.find(({ to }) => to === olivia.user.email)!
    await mailed()
    const first = own()
    const root = `<deal-${dealId}.user-${olivia.user.id}@deals.example.com>`
    expect(first).toMatchObject({
      messageId: expect.stringMatching(/^<message-\d+\.user-\d+@deals\.example\.com>$/),
      inReplyTo: root,
      references: root,
      headers: {
        'List-Id': 'Partner Deals notifications <notifications.deals.example.com>',
        'List-Unsubscribe': expect.stringContaining(`/unsubscribe/${olivia.user.id}.`),
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    })
    await quiet()
    await database.db.$client`update messages set mail_due_at = now() where thread_id = ${threadId}`
    await sendMissingJobs(database.db.$client, true)
    await mailed()
    expect(own().messageId).toBe(first.messageId)
  })

  test('is not sent about a moved or answered question', async () => {
    const { dealId, olivia, other, ask } = await makeWorld()
    await quiet()
    const { threadId: id } = await ask()
    await olivia.messages.answer({ id, text: 'On Friday', files: [] })
    await deal(BigInt(dealId), other.id)
    expect(await mailed()).toEqual([])
    expect(await database.db.$client`select from messages where mail_due_at is not null`).toHaveLength(0)
  })

  test('combines the messages of a thread, mails each message once, and does not delay other threads', async () => {
    const [one, two] = [await makeWorld(), await makeWorld()]
    const { olivia } = one
    await quiet()
    const { threadId: id } = await one.ask()
    const say = async (from: number, to: number) => {
      // Inserted directly, to bypass the limit of messages per minute.
      for (let at = from; at < to; at++) {
        await database.db.$client`delete from spending`
        await one.ana.messages.answer({ id, text: `Hello ${at}`, files: [] })
      }
    }
    await say(1, 20)
    const toOlivia = () => mails.filter(({ to }) => to === olivia.user.email)
    await database.db.$client`update pgboss.job set start_after = now()`
    await Promise.all([makeMails(), makeMails()])
    await mailed()
    expect(toOlivia()).toHaveLength(1)
    await say(20, 150)
    await two.ask()
    await mailed()
    expect(toOlivia().map(({ subject }) => subject)).toEqual([`Question about Deal of ${two.dealId}`])
    await pass()
    await mailed()
    expect(toOlivia()).toHaveLength(1)
    expect(toOlivia()[0]!.text).toContain(`Ana (${one.partner.name}) asks: Hello 20\n\n`)
    expect(toOlivia()[0]!.text).toContain('Hello 29\n\nand 120 more messages\n\nAnswer:')
    await pass()
    expect(await mailed()).toEqual([])
  })

  test('is not sent to users who have already read the message', async () => {
    const { ana, olivia, ask } = await makeWorld()
    const paul = await callerOf('operator', null)
    await quiet()
    const { threadId: id, messageId } = await ask()
    await paul.messages.read({ id, messageId })
    const recipients = await mailed()
    expect(recipients).toContain(olivia.user.email)
    expect(recipients).not.toContain(paul.user.email)
    await olivia.messages.answer({ id, text: 'On Friday', files: [] })
    const answerId = (await olivia.messages.thread({ id })).messages.at(-1)!.id
    const [delivery] = await database.db.$client<{ ids: number[]; waitS: number }[]>`
      select notification_ids::float8[] as ids, extract(epoch from due_at - created_at)::float8 as "waitS"
      from notification_deliveries where user_id = ${ana.user.id}`
    expect(delivery!.waitS).toBeGreaterThan(4.9)
    const content = () => readContent(database.db, { userId: ana.user.id, notificationIds: delivery!.ids })
    expect(await content()).toMatchObject({ user: { id: ana.user.id } })
    await ana.messages.read({ id, messageId: answerId })
    expect(await content()).toBeUndefined()
  })

  test('is not sent while the partner is suspended, or to removed users', async () => {
    const { ana, olivia, partner, ask } = await makeWorld()
    const paul = await callerOf('operator', null)
    await quiet()
    const { threadId } = await ask()
    await database.db.$client`update partners set suspended_at = now() where id = ${partner.id}`
    await makeLate(threadId)
    expect(await mailed()).toEqual([])
    await database.db.$client`update partners set suspended_at = null where id = ${partner.id}`
    await database.db.$client`update threads set waiting_since = now() where id = ${threadId}`
    await ask(ana, 'Is anybody there?')
    await database.db.$client`delete from users where id = ${paul.user.id}`
    const recipients = await mailed()
    expect(recipients).toContain(olivia.user.email)
    expect(recipients).not.toContain(paul.user.email)
  })

  test('reminds operators once of questions that are open for the configured time', async () => {
    const { ana, olivia, ask } = await makeWorld()
    const { threadId: id } = await ask()
    await quiet()
    await makeLate(id)
    expect(await olivia.messages.reminder()).toBe(24)
    await olivia.messages.setReminder({ hours: null })
    expect(await mailed()).toEqual([])
    await olivia.messages.setReminder({ hours: 26 })
    expect(await mailed()).toEqual([])
    await olivia.messages.setReminder({ hours: 24 })
    expect(await mailed()).toContain(olivia.user.email)
    expect(mails[0]!.subject).toMatch(/^No answer for 24 hours: /)
    expect(await mailed()).toEqual([])
    // A question asked after an answer counts as new.
    await olivia.messages.answer({ id, text: 'On Friday', files: [] })
    await ana.messages.answer({ id, text: 'Which?', files: [] })
    await quiet()
    await database.db.$client`update threads set waiting_since = now() - interval '25 hours' where id = ${id}`
    expect(await mailed()).toContain(olivia.user.email)
  })

  test('sends no reminder about a deal that has moved, until the deal is back', async () => {
    const { olivia, dealId, other, partner, ask } = await makeWorld()
    const { threadId: id } = await ask()
    await quiet()
    await makeLate(id)
    await deal(BigInt(dealId), other.id)
    expect(await mailed()).toEqual([])
    await deal(BigInt(dealId), partner.id)
    expect(await mailed()).toContain(olivia.user.email)
  })

  test('sends one reminder even if a worker is killed before the mail is stored or sent', async () => {
    const { olivia, ask } = await makeWorld()
    const { threadId: id } = await ask()
    await quiet()
    await makeLate(id)
    await database.db.$client`alter table mails rename to no_mails`
    expect(await makeMails()).toHaveLength(1)
    await database.db.$client`alter table no_mails rename to mails`
    await database.db.$client`update pgboss.job set start_after = now()`
    mails.length = 0
    expect(await makeMails()).toEqual([])
    expect(mails).toEqual([])
    const reminded = await mailed()
    expect(reminded.filter((to) => to === olivia.user.email)).toHaveLength(1)
    expect(await mailed()).toEqual([])
  })
})

test('a message notifies the asker, earlier authors and mentioned users, but not its author', async () => {
  const { ana, ben, eve, olivia, dealId, ask } = await makeWorld()
  const readNotified = () =>
    database.db.$client`
      select user_id as "userId", key, kind, changes from notifications where deal_id = ${dealId} order by id`
  const { threadId: id } = await ask()
  expect(await readNotified()).toEqual([])
  await olivia.messages.answer({ id, text: 'On Friday', files: [] })
  expect(await readNotified()).toEqual([
    {
      userId: ana.user.id,
      key: expect.stringMatching(/^message:\d+$/),
      kind: 'messages',
      changes: { threadId: id, author: 'Ana', text: 'On Friday', isMention: false },
    },
  ])
  await database.db.$client`update users set name = 'Ben Ito' where id = ${ben.user.id}`
  await database.db.$client`update users set name = 'Eve Ito' where id = ${eve.user.id}`
  await ana.messages.answer({ id, text: '@Ben Ito @Eve Ito can you be there?', files: [] })
  const [, ...later] = await readNotified()
  expect(new Map(later.map((row) => [row['userId'], row['changes'].isMention]))).toEqual(
    new Map([
      [olivia.user.id, false],
      [ben.user.id, true],
    ]),
  )
  expect((await olivia.messages.thread({ id })).messages.at(-1)).toMatchObject({ mentions: ['Ben Ito'] })
})

describe('mentionable people', () => {
  test('are the user’s team and the operators in the thread, or all operators if the user is an operator', async () => {
    const { ana, ben, olivia, dealId, ask } = await makeWorld()
    const { threadId } = await ask()
    const of = async (who: Caller) =>
      (await who.messages.mentionable({ dealId, threadId })).map(({ id }) => id).toSorted((a, b) => a - b)
    expect(await of(ana)).toEqual([ben.user.id])
    await olivia.messages.answer({ id: threadId, text: 'On Friday', files: [] })
    expect(await of(ana)).toEqual([ben.user.id, olivia.user.id].toSorted((a, b) => a - b))
    const paul = await callerOf('operator', null)
    expect(await of(olivia)).toEqual(expect.arrayContaining([ana.user.id, paul.user.id]))
  })
})

describe('the usual response time', () => {
  test('is the median of at least five first answers to the partner', async () => {
    const { ana, eve, olivia, dealId, ask, partner } = await makeWorld()
    const usual = async (who: Caller, id = dealId) =>
      (await who.messages.threads({ dealId: id })).usualAnswerMs
    const hours = [1, 2, 3, 40]
    for (const hour of hours)
      await database.db.$client`
        insert into threads (deal_id, partner_id, created_at, answered_at)
        values (${dealId}, ${partner.id}, now() - ${hour} * interval '1 hour', now())`
    await database.db.$client`
      insert into threads (deal_id, partner_id, created_at, answered_at)
      values (${dealId}, ${partner.id}, now() - interval '92 days', now() - interval '91 days')`
    expect(await usual(ana)).toBe(null)
    const { threadId: id } = await ask()
    await database.db.$client`update threads set created_at = now() - interval '5 hours' where id = ${id}`
    await olivia.messages.answer({ id, text: 'On Friday', files: [] })
    // Later answers in a thread do not count.
    await database.db
      .$client`update threads set answered_at = created_at + interval '5 hours' where id = ${id}`
    await olivia.messages.answer({ id, text: 'At nine', files: [] })
    expect(Math.round((await usual(ana))! / 3_600_000)).toBe(3)
    const elsewhere = String(++last)
    await deal(BigInt(elsewhere), eve.partnerId)
    expect(await usual(eve, elsewhere)).toBe(null)
  })
  test('excludes questions of the installer', async () => {
    const { ana, olivia, ask } = await makeWorld()
    const { threadId: id } = await ask(olivia, 'Do you have the bill?')
    await ana.messages.answer({ id, text: 'Here', files: [] })
    await olivia.messages.answer({ id, text: 'Thanks', files: [] })
    expect(await database.db.$client`select answered_at from threads where id = ${id}`).toEqual([
      { answered_at: null },
    ])
  })
})

describe("the operators' list", () => {
  test('shows the oldest open questions first, by partner and state, in pages', async () => {
    const { ana, olivia, dealId, partner, ask } = await makeWorld()
    const ids: number[] = []
    for (let index = 0; index < 27; index++) ids.push((await ask(ana, `Question ${index}`)).threadId)
    const list = (state: 'open' | 'answered' | 'resolved', cursor?: number | null) =>
      olivia.messages.questions({ state, partner: partner.slug, cursor })
    const first = await list('open')
    expect(first.questions.map(({ id }) => id)).toEqual(ids.slice(0, 25))
    expect(first.questions[0]).toMatchObject({
      dealId,
      dealName: `Deal of ${dealId}`,
      partner: { slug: partner.slug, name: partner.name },
      text: 'Question 0',
      authorName: 'Ana',
      holder: { role: null, name: null },
    })
    const second = await list('open', first.next)
    expect(second.questions.map(({ id }) => id)).toEqual(ids.slice(25))
    expect(second.next).toBe(null)
    const before = await olivia.messages.openCount()
    await olivia.messages.answer({ id: ids[0]!, text: 'Yes', files: [] })
    await olivia.messages.resolve({ id: ids[1]! })
    expect(await olivia.messages.openCount()).toBe(before - 2)
    expect((await list('answered')).questions.map(({ id }) => id)).toEqual([ids[0]])
    expect((await list('resolved')).questions.map(({ id }) => id)).toEqual([ids[1]])
    expect(await olivia.messages.askers()).toContainEqual({ slug: partner.slug, name: partner.name })
    // An operator who views as the partner sees only the partner's questions.
    const asPartner = await callerOf('operator', null, partner.slug)
    expect(await asPartner.messages.openCount()).toBe(25)
    expect(await asPartner.messages.askers()).toEqual([{ slug: partner.slug, name: partner.name }])
  })

  test('saved replies have unique titles', async () => {
    const { olivia } = await makeWorld()
    await olivia.messages.saveReply({ id: null, title: 'Permit', text: 'Two weeks.' })
    await olivia.messages.saveReply({ id: null, title: 'Bill', text: 'Please attach it.' })
    const [bill, permit] = await olivia.messages.replies()
    expect([bill!.title, permit!.title]).toEqual(['Bill', 'Permit'])
    expect(await codeOf(olivia.messages.saveReply({ ...bill!, title: 'Permit' }))).toBe('BAD_REQUEST')
    await olivia.messages.saveReply({ ...permit!, text: 'Three weeks.' })
    await olivia.messages.removeReply({ id: bill!.id })
    expect(await codeOf(olivia.messages.removeReply({ id: bill!.id }))).toBe('NOT_FOUND')
    expect(await codeOf(olivia.messages.saveReply(bill!))).toBe('NOT_FOUND')
    expect(await olivia.messages.replies()).toEqual([{ ...permit, text: 'Three weeks.' }])
  })
})

test('the REST interface lists the messages of a deal in pages', async () => {
  const { ana, olivia, dealId, partner, other, ask } = await makeWorld()
  const { threadId: id, messageId } = await ask()
  await olivia.messages.answer({ id, text: 'On Friday', files: [] })
  await ana.messages.resolve({ id })
  const systemOf = async (partnerId: number) => {
    const { token } = await issueToken(database.db, { partnerId, name: 'CRM', expiresAt: null } as never)
    const actor = await actorOfRequest(services, `Bearer ${token}`)
    return api.createCaller({ services, actor, ifNoneMatch: () => false })
  }
  const system = await systemOf(partner.id)
  expect(await system.messages.list({ id: dealId, page: '1', size: '1' })).toEqual({
    page: 1,
    pages: 2,
    count: 2,
    messages: [
      {
        id: BigInt(messageId),
        question: id,
        author: 'Ana',
        isInstaller: false,
        text: 'When is the inspection?',
        created: expect.stringMatching(/^\d{4}-.*Z$/),
        isResolved: true,
        files: [],
      },
    ],
  })
  expect((await system.messages.list({ id: dealId, page: '2', size: '1' })).messages).toMatchObject([
    { text: 'On Friday', isInstaller: true },
  ])
  expect(await codeOf((await systemOf(other.id)).messages.list({ id: dealId }))).toBe('NOT_FOUND')
  expect(await codeOf(system.messages.threads({ dealId }))).toBe('UNAUTHORIZED')
})

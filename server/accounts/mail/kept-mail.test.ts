import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import { invite, issueLink, mailLink } from '../sign-in/send-link.ts'
import { insertPartner } from '../store.ts'
import { saveInvited } from '../user-store.ts'
import type { MailProblem } from './mail-problem.ts'
import { readMailHealth } from './mail-store.ts'
import { makeMailer } from './mailer.ts'

const publicUrl = 'https://deals.example.com'
const key = randomBytes(32)
let database: TestDatabase
let partnerId: number
let outcome: MailProblem | null
let sent: string[]
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
  sent = []
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
      if (outcome === null) sent.push(mail.text)
      return outcome
    },
    (problem) => void reported.push(problem),
  )
const mails = () =>
  database.db.$client<{ recipient: string; encrypted: string | null; attempts: number; problem: string }[]>`
    select recipient, encrypted, attempts, problem from mails`
const makeDue = () => database.db.$client`update pgboss.job set start_after = now()`
const sendDue = (own = mailer()) => runDueJobs(database.db, { mail: ({ mailId }) => own.sendStored(mailId) })

async function inviteBen(own = mailer()) {
  const member = {
    email: `${crypto.randomUUID()}@sunline.example`,
    name: 'Ben',
    role: 'member',
    partnerId,
  } as const
  const link = (await invite({ db: database.db, publicUrl }, member as never))!
  const mailed = await mailLink({ db: database.db, mailer: own }, member.email, link, 'Sunline')
  return { member, link, mailed }
}

test('a mail sent immediately is not stored', async () => {
  expect((await inviteBen()).mailed).toBe(true)
  expect([sent.length, await mails(), reported]).toEqual([1, [], []])
})

test('a deferred mail is stored encrypted, and sent once by one of several workers', async () => {
  outcome = away
  const { link, mailed } = await inviteBen()
  expect(mailed).toBe(false)
  expect(reported).toEqual([{ ...away, willRetry: true }])
  const [kept] = await mails()
  expect(kept).toMatchObject({ attempts: 1, problem: 'refused' })
  expect(kept!.encrypted).not.toContain(link.slice(-43))
  expect(await readMailHealth(database.db)).toEqual({ waiting: 1, failed: 0, problem: 'refused' })
  await sendDue()
  expect(sent).toEqual([])
  outcome = null
  await makeDue()
  await Promise.all([sendDue(), sendDue()])
  expect(sent).toEqual([expect.stringContaining(link)])
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
  expect(sent).toEqual([])
  await makeDue()
  await sendDue()
  expect(sent).toHaveLength(1)
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
  const user = (await saveInvited(database.db, member as never))!
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
  expect(sent).toEqual([])
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
  expect(sent).toEqual([expect.stringContaining(link)])
  expect(await readMailHealth(database.db)).toMatchObject({ waiting: 0, failed: 1 })
})

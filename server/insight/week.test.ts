import { rm } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { demoPartners } from '#db/demo/demo.ts'
import { sparsePartners } from '#db/demo/sparse.ts'
import type { TestDatabase } from '#db/test-database.ts'
import { createDemoDatabase } from '#e2e/demo-database.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { temporaryDirectory } from '#e2e/system.ts'
import type { Mail } from '../accounts/mail.ts'
import { makeMailer } from '../accounts/mailer.ts'
import { findPartner, insertPartner } from '../accounts/store.ts'
import type { Services } from '../runtime/services.ts'
import { addDays, mondayOf, startOfDay, utc } from '../values/zone.ts'
import { digestOf } from './digest.ts'
import { insightRouter } from './router.ts'
import { sendDigest, sendDueDigests } from './week.ts'

let database: TestDatabase
let dataDir: string
let services: Services
let sent: { to: string; mail: Mail }[] = []

beforeAll(async () => {
  dataDir = await temporaryDirectory()
  database = await createDemoDatabase(dataDir)
  const { db } = database
  await db.$client`update users set time_zone = 'UTC'`
  const encryptionKey = Buffer.alloc(32, 1)
  const sendNow = async (to: string, mail: Mail) => {
    sent.push({ to, mail })
    return null
  }
  services = {
    db,
    encryptionKey,
    config: { publicUrl: 'https://deals.example.com', eventRetentionDays: 90 },
    mailer: makeMailer(db, encryptionKey, sendNow, () => {}),
  } as unknown as Services
}, 120_000)
afterAll(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true })
})
afterEach(() => vi.useRealTimers())

const today = new Date().toISOString().slice(0, 10)
// Today's or the next Monday. Demo data has changes on each of the six days before today.
const monday = startOfDay(mondayOf(addDays(today, 6)), utc) + 7.5 * 3_600_000

/** Sends the digests that are due at this time, as workers do, and returns the mail. */
async function sendAt(ms: number) {
  vi.useFakeTimers({ toFake: ['Date'], now: ms })
  sent = []
  await Promise.all([sendDueDigests(services, new Date()), sendDueDigests(services, new Date())])
  const digest = ({ userId }: { userId: number }) => sendDigest(services, userId, new Date())
  await runDueJobs(database.db, { digest })
  await database.db.$client`update pgboss.job set start_after = now() where name = 'mail'`
  await runDueJobs(database.db, { mail: ({ mailId }) => services.mailer!.sendStored(mailId) })
  return sent
}

type Caller = ReturnType<typeof insightRouter.createCaller>

/** Creates a partner user in UTC. Returns the user and the procedures as this user. */
async function makeUser(slug: string, role: 'admin' | 'member') {
  const partnerId = (await findPartner(database.db, slug))!.id
  const context = await signedIn(services, { role, partnerId })
  const { id, email } = context.actor.user
  await database.db.$client`update users set time_zone = 'UTC' where id = ${id}`
  // Uses the zone of the digest.
  const actor = { ...context.actor, zone: utc }
  return { id, email, caller: insightRouter.createCaller({ ...context, actor }) }
}

test('sends each partner’s digest once, with the numbers of the Week page', async () => {
  const slugs = [...demoPartners, ...sparsePartners].map(({ slug }) => slug)
  const admins = await Promise.all(slugs.map((slug) => makeUser(slug, 'admin')))
  const mails = await sendAt(monday)
  for (const { email, caller } of admins) {
    const report = await caller.week({})
    const lines = digestOf(report).flatMap((section) =>
      section.lines.map(
        ({ count, title, isMore }) => `${count.toLocaleString('en-US')}${isMore ? '+' : ''}  ${title}`,
      ),
    )
    const own = mails.filter(({ to }) => to === email)
    expect(own).toHaveLength(1)
    const inMail = own[0]!.mail.text.split('\n').flatMap((line) => /^ {2}(\d.*)$/.exec(line)?.[1] ?? [])
    expect(inMail).toEqual(lines)
    expect(lines.length).toBeGreaterThan(3)
    // Every nonzero number of the page must be in the mail.
    const numbers = [...report.moved, ...report.late, ...report.holds, ...report.expected]
    expect(inMail).toHaveLength(numbers.filter(({ count }) => count > 0).length)
    expect(own[0]!.mail.html).toContain(`https://deals.example.com/week?week=${report.week}`)
  }
  expect(await sendAt(monday + 60_000)).toEqual([])
})

test('sends the digest to admins unless they opt out, and to members if they opt in', async () => {
  const { slug } = demoPartners[0]!
  const users = await Promise.all(
    (['admin', 'admin', 'member', 'member'] as const).map((role) => makeUser(slug, role)),
  )
  const [subscribed, off, member, on] = users.map(({ caller }) => caller) as [Caller, Caller, Caller, Caller]
  expect(await subscribed.digest()).toEqual({ isOn: true, hasMail: true })
  expect(await member.digest()).toEqual({ isOn: false, hasMail: true })
  await off.setDigest({ isOn: false })
  await on.setDigest({ isOn: true })
  const mails = await sendAt(monday)
  const receives = ({ email }: { email: string }) => mails.some(({ to }) => to === email)
  expect(users.map(receives)).toEqual([true, false, false, true])
})

test('sends no digest without changes, after Wednesday, or to a suspended partner', async () => {
  await insertPartner(database.db, 'empty', 'Empty')
  const empty = await makeUser('empty', 'admin')
  const { slug } = demoPartners[0]!
  await makeUser(slug, 'admin')
  expect(await sendAt(monday + 3 * 86_400_000)).toEqual([])
  const { $client: sql } = database.db
  await sql`update partners set suspended_at = now() where slug = ${slug}`
  const mails = await sendAt(monday)
  await sql`update partners set suspended_at = null where slug = ${slug}`
  expect(mails.filter(({ to }) => to === empty.email)).toEqual([])
  expect(mails).toEqual([])
})

test('the digest can be unsubscribed like other mail, and is not sent to users who have turned off mail', async () => {
  const { slug } = demoPartners[0]!
  const [subscribed, stopped, rejected] = await Promise.all(
    Array.from({ length: 3 }, () => makeUser(slug, 'admin')),
  )
  await database.db.$client`
    insert into notification_settings (user_id, by_mail, mail_rejected_at)
    values (${stopped!.id}, false, null), (${rejected!.id}, true, now())`
  const mails = await sendAt(monday)
  const own = mails.filter(({ to }) => to === subscribed!.email)
  expect(own[0]!.mail.headers).toMatchObject({ 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' })
  expect(mails.map(({ to }) => to)).not.toEqual(expect.arrayContaining([stopped!.email]))
  expect(mails.map(({ to }) => to)).not.toEqual(expect.arrayContaining([rejected!.email]))
})

test('sends on Tuesday if no worker ran on Monday, and continues after a failed digest', async () => {
  const { slug } = demoPartners[0]!
  const reader = await makeUser(slug, 'admin')
  const broken = await makeUser(slug, 'admin')
  await database.db.$client`update users set time_zone = 'UTC' where id = ${broken.id}`
  vi.useFakeTimers({ toFake: ['Date'], now: monday + 24 * 3_600_000 })
  sent = []
  await sendDueDigests(services, new Date())
  const digest = async ({ userId }: { userId: number }) => {
    if (userId === broken.id) throw new Error('broken')
    await sendDigest(services, userId, new Date())
  }
  expect(await runDueJobs(database.db, { digest })).toEqual(['broken'])
  await database.db.$client`update pgboss.job set start_after = now() where name = 'mail'`
  await runDueJobs(database.db, { mail: ({ mailId }) => services.mailer!.sendStored(mailId) })
  expect(sent.map(({ to }) => to)).toContain(reader.email)
})

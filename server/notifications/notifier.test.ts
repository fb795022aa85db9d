import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#db/client.ts'
import { users } from '#db/schema/accounts.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import { everyone } from '../access/actor.ts'
import type { Everyone, PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { assignDeals, type Assignment } from '../deals/assignee-store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { DealRecord, Person } from '../deals/deal.ts'
import { deleteDeal } from '../deals/removal-store.ts'
import { insertFile } from '../files/store.ts'
import { sendMissingJobs } from '../jobs/send-store.ts'
import type { RelativeDays } from '../search/filter-text.ts'
import type { DealFilter } from '../search/wire.ts'
import { dayMs, hourMs } from '../values/units.ts'
import { type Zone, utc, wallClock } from '../values/zone.ts'
import { saveView } from '../views/store.ts'
import { fanOutAssignments } from './assignment-store.ts'
import { addNotifications, readContent, removeOldNotifications } from './delivery-store.ts'
import {
  fanOutEvents,
  fanOutFiles,
  findEndedDays,
  findPartnersNoLongerLate,
  sendDayJobs,
} from './fan-out-store.ts'
import { readDayMoves } from './followed-view-store.ts'
import type { ChannelSender, Content, SendProblem, NewNotification, ViewMoves } from './notification.ts'
import { notifyOfAssignments, notifyOfDays, notifyOfEvents, sendMessage } from './notifier.ts'
import { dayMovesMax, notificationRetentionDays } from './policy.ts'
import {
  confirmPeople,
  countUnread,
  followDeals,
  followView,
  markRead,
  readNamesOf,
  readNotifications,
  readOwnPeople,
  readSettings,
  saveSettings,
} from './store.ts'
import type { SetNotifications } from './wire.ts'

let database: TestDatabase
let db: Database
let partnerId: PartnerId
let ana: number
let sent: Content[]
let outcome: SendProblem | null

beforeAll(async () => {
  database = await createTestDatabase()
  ;({ db } = database)
})
afterAll(() => database.drop())
beforeEach(async () => {
  await db.$client`delete from notification_deliveries`
  await db.$client`delete from pgboss.job`
  partnerId = await makePartner()
  ana = await makeUser(partnerId)
  sent = []
  outcome = null
})

const mail: ChannelSender = {
  async send(content) {
    if (outcome === null) sent.push(content)
    return outcome
  },
}
const send = async () => {
  // Sets the jobs to the due times that the test has set.
  await db.$client`
    update pgboss.job set start_after = coalesce(delivery.due_at, now()) from notification_deliveries delivery
    where singleton_key = delivery.id::text and state in ('created', 'retry')`
  await runDueJobs(db, {
    'notification-mail': ({ deliveryId }) => sendMessage({ db, channels: { mail } }, 'mail', deliveryId),
  })
}

/**
 * Creates notifications of everything that happened, as a worker does. Returns the problems of failed jobs.
 */
async function fanOut(): Promise<string[]> {
  await sendMissingJobs(db.$client, true)
  return runDueJobs(db, {
    'notify-of-events': (job) => notifyOfEvents(db, job.partnerId as PartnerId),
    'notify-of-files': (job) => fanOutFiles(db, job.partnerId as PartnerId, job.fileIds),
    'notify-of-assignments': (job) => notifyOfAssignments(db, job.partnerId as PartnerId),
  })
}
const makePartner = async () => (await insertPartner(db, crypto.randomUUID(), 'A partner'))!.id as PartnerId

const always: SetNotifications = {
  stage: true,
  dates: true,
  late: true,
  items: true,
  files: true,
  messages: true,
  schedule: 'at-once',
  hour: 7,
  // The tests may run at night.
  atNight: true,
  byMail: true,
}

async function makeUser(owner: PartnerId | null, settings: Partial<SetNotifications> = {}): Promise<number> {
  const [user] = await db
    .insert(users)
    .values({
      email: `${crypto.randomUUID()}@team.example`,
      name: 'Ana Lopez',
      role: owner === null ? 'operator' : 'member',
      partnerId: owner,
    })
    .returning()
  await db.transaction((tx) => saveSettings(tx, user!.id, { ...always, ...settings }))
  return user!.id
}

let last = 0n
const makeDeal = async (record: Partial<DealRecord> = {}, owner = partnerId) => {
  const id = ++last
  await write({ id, dealname: 'Lopez, Ana', stage: 'Site Survey', ...record }, owner)
  return id
}
const write = (record: DealRecord, owner?: number | null) =>
  writeDeals(db, [{ record, partnerId: owner }], { now: new Date(), events: true })

const follow = (userId: number, dealId: bigint, isOn = true, tenant: PartnerId | Everyone = partnerId) =>
  db.transaction((tx) => followDeals(tx, tenant, userId, [dealId], isOn))
/** Creates a deal that the user follows. */
async function makeFollowed(userId = ana): Promise<bigint> {
  const id = await makeDeal()
  await follow(userId, id)
  await fanOut()
  return id
}
const followFilter = async (
  userId: number,
  filter: DealFilter,
  isShared = true,
  owner = userId,
  name: string = crypto.randomUUID(),
  relativeDays: RelativeDays = {},
) => {
  const viewId = await saveView(db, partnerId, owner, { name, query: '', isShared })
  const outcome = await db.transaction((tx) =>
    followView(tx, partnerId, userId, { viewId, filter, relativeDays }),
  )
  return { viewId, outcome }
}
const listOf = async (userId: number, tenant: PartnerId | Everyone = partnerId) =>
  (await readNotifications(db, tenant, userId, null, 100)).map(({ kind, changes }) => ({ kind, changes }))
const movedTo = (to: string) => ({
  kind: 'stage',
  changes: { from: expect.any(String), to, isNew: false },
})

/** Returns the database over a connection that breaks before each commit. */
const killedBeforeCommit = () =>
  ({
    ...db,
    $client: Object.assign(() => {}, {
      begin: (work: (sql: never) => unknown) =>
        db.$client.begin(async (sql) => {
          await work(sql as never)
          throw new Error('killed')
        }),
    }),
  }) as unknown as Database

describe('followers of a deal', () => {
  test('are notified of each kind of change once, even if events are read repeatedly', async () => {
    const id = await makeDeal()
    await follow(ana, id)
    await write({
      id,
      stage: 'Permit Submitted',
      installedScheduled: '2026-12-02T00:00:00.000Z',
      hasOutstandingItems: true,
    })
    await fanOut()
    await db.$client`update notification_cursors set sequence = 0 where partner_id = ${partnerId}`
    await fanOut()
    expect(await listOf(ana)).toEqual(
      expect.arrayContaining([
        { kind: 'stage', changes: { from: 'Site Survey', to: 'Permit Submitted', isNew: false } },
        {
          kind: 'dates',
          changes: {
            changed: [{ field: 'installedScheduled', from: null, to: '2026-12-02T00:00:00.000Z' }],
          },
        },
        { kind: 'items', changes: { isOpen: true } },
      ]),
    )
    // Includes the creation of the deal, because the cursor was reset.
    expect(await listOf(ana)).toHaveLength(4)
    expect(await countUnread(db, partnerId, ana)).toBe(4)
  })

  test('are not notified of earlier changes, or of kinds they have turned off', async () => {
    const id = await makeDeal()
    await fanOut()
    await write({ id, stage: 'CAD' })
    await follow(ana, id)
    const ben = await makeUser(partnerId, { stage: false })
    await follow(ben, id)
    await fanOut()
    await write({ id, stage: 'Engineering', installedScheduled: '2026-12-02T00:00:00.000Z' })
    await fanOut()
    expect(await listOf(ben)).toEqual([expect.objectContaining({ kind: 'dates' })])
    expect((await listOf(ana)).at(-1)).toMatchObject({ kind: expect.stringMatching(/stage|dates/) })
  })

  test('stop being notified once they unfollow; users of other partners are never notified', async () => {
    const id = await makeDeal()
    const other = await makePartner()
    const eve = await makeUser(other)
    expect(await follow(eve, id, true, other)).toBe(0)
    await db.$client`insert into follows (user_id, deal_id) values (${eve}, ${String(id)})`
    await follow(ana, id)
    await follow(ana, id, false)
    await write({ id, stage: 'CAD' })
    await fanOut()
    expect(await listOf(ana)).toEqual([])
    expect(await listOf(eve, other)).toEqual([])
  })

  test('are notified of files once', async () => {
    const id = await makeDeal()
    await follow(ana, id)
    await insertFile(db, {
      id: 'file-1',
      dealId: id,
      name: 'plan.pdf',
      type: 'application/pdf',
      sizeBytes: 1,
    })
    await fanOut()
    await fanOut()
    expect(await listOf(ana)).toEqual([{ kind: 'files', changes: { id: 'file-1', name: 'plan.pdf' } }])
  })

  test('are notified in steps that read only new events of the partner', async () => {
    const id = await makeDeal()
    await fanOut()
    await follow(ana, id)
    for (let at = 0; at < 201; at++) await write({ id, stage: `Stage ${at}` })
    await db.$client`
      update events set body = 'no JSON'
      where partner_id = ${partnerId} and sequence = (select max(sequence) from events where partner_id = ${partnerId})`
    expect(await fanOutEvents(db, partnerId)).toBe(true)
    expect(await readNotifications(db, partnerId, ana, null, 1000)).toHaveLength(200)
    await db.$client`delete from events where partner_id = ${partnerId}`
  })

  test('are all notified, even if there are more than one step can handle', async () => {
    const id = await makeDeal()
    await follow(ana, id)
    await db.$client`
      with more as (
        insert into users (email, name, role, partner_id)
        select 'many' || n || ${`@${partnerId}.example`}, 'Ana', 'member', ${partnerId} from generate_series(1, 4500) n returning id)
      insert into follows (user_id, deal_id) select id, ${String(id)} from more`
    await write({ id, stage: 'CAD' })
    await write({ id, stage: 'Engineering' })
    await fanOut()
    const [counts] = await db.$client<[{ count: number; users: number }]>`
      select count(*)::integer, count(distinct user_id)::integer as users from notifications where deal_id = ${String(id)}`
    expect(counts).toEqual({ count: 9002, users: 4501 })
  })
})

describe('deals that name a user as a person', () => {
  const named = { closerName: 'Ana Lopez' }

  test('are recognized by e-mail address until the user confirms names', async () => {
    const [{ email }] = await db.$client<[{ email: string }]>`select email from users where id = ${ana}`
    await makeDeal({ owner: { id: 1n, firstName: 'A.', lastName: 'Lopez', email } as Person })
    expect(await readNamesOf(db, ana)).toEqual(['A. Lopez'])
  })

  test('are proposed by name and e-mail address, and followed once confirmed', async () => {
    await makeDeal(named)
    const id = await makeDeal(named)
    await makeDeal(named, await makePartner())
    await makeDeal({ closerName: 'Someone Else' })
    const proposed = await readOwnPeople(db, partnerId, ana)
    expect(proposed).toEqual([
      { id: expect.any(Number), name: 'Ana Lopez', email: '', dealCount: 2, isConfirmed: false },
    ])
    expect(await readNamesOf(db, ana)).toEqual([])
    await db.transaction((tx) => confirmPeople(tx, partnerId, ana, [proposed[0]!.id, 999_999]))
    expect(await readNamesOf(db, ana)).toEqual(['Ana Lopez'])
    await write({ id, stage: 'CAD' })
    await fanOut()
    expect((await listOf(ana))[0]).toEqual(movedTo('CAD'))
    await follow(ana, id, false)
    await write({ id, stage: 'Engineering' })
    await fanOut()
    expect((await listOf(ana))[0]).toEqual(movedTo('CAD'))
  })
})

describe('followers of a view', () => {
  test('are notified of deals in the view or entering it', async () => {
    const inside = await makeDeal({ stage: 'CAD', city: 'Mesa' })
    const outside = await makeDeal({ stage: 'CAD', city: 'Tempe' })
    expect((await followFilter(ana, { search: 'mesa' })).outcome).toBe('followed')
    await write({ id: inside, stage: 'Engineering' })
    await write({ id: outside, stage: 'Engineering' })
    await fanOut()
    await write({ id: outside, stage: 'Permit', city: 'Mesa' })
    await makeDeal({ stage: 'New', city: 'Mesa' })
    await fanOut()
    // An invalid filter must not prevent other notifications.
    await db.$client`update follows set filter = '{"minSince":1,"dates":{"nothing":{"from":"x"}}}' where user_id = ${ana}`
    await write({ id: inside, stage: 'Install' })
    await fanOut()
    expect((await listOf(ana)).map(({ changes }) => 'to' in changes && changes.to).toSorted()).toEqual([
      'Engineering',
      'New',
      'Permit',
    ])
  })

  test('are notified when a deal enters or leaves the view, once per event', async () => {
    const id = await makeDeal({ city: 'Tempe', closerName: 'Ana Lopez' })
    const other = await makeDeal({ city: 'Mesa' })
    const ben = await makeUser(partnerId, { stage: false })
    await followFilter(ana, { search: 'mesa' }, false, ana, 'In Mesa')
    await followFilter(ana, { people: ['Ben Ito'] }, false, ana, 'Of Ben')
    await followFilter(ben, { search: 'mesa' })
    await fanOut()
    await write({ id, city: 'Mesa' })
    await write({ id, city: 'Mesa', closerName: 'Ben Ito', stage: 'Permit' })
    await write({ id, city: 'Tempe', stage: 'Install' })
    await write({ id, closerName: null })
    await write({ id: other, city: 'Mesa Verde' })
    const expected = [
      { kind: 'stage', changes: { views: { entered: [], left: ['Of Ben'] } } },
      {
        kind: 'stage',
        changes: { from: 'Permit', to: 'Install', isNew: false, views: { entered: [], left: ['In Mesa'] } },
      },
      {
        kind: 'stage',
        changes: {
          from: 'Site Survey',
          to: 'Permit',
          isNew: false,
          views: { entered: ['Of Ben'], left: [] },
        },
      },
      { kind: 'stage', changes: { views: { entered: ['In Mesa'], left: [] } } },
    ]
    await fanOut()
    expect(await listOf(ana)).toEqual(expected)
    await db.$client`update notification_cursors set sequence = sequence - 5 where partner_id = ${partnerId}`
    await fanOut()
    expect(await listOf(ana)).toEqual(expected)
    expect(await listOf(ben)).toEqual([])
    await send()
    expect(sent.map(({ deals }) => deals.flatMap(({ news }) => news))).toEqual([expected.toReversed()])
  })

  test("are notified of their own assignments, not of other followers' assignments", async () => {
    const ben = await makeUser(partnerId)
    for (const user of [ana, ben]) await followFilter(user, { assignees: ['me'] })
    const id = await makeDeal()
    await fanOut()
    await db.transaction((tx) => assignDeals(tx, partnerId, ben, { ids: [id], userId: ben }))
    await write({ id, stage: 'Permit Submitted' })
    await fanOut()
    expect(await listOf(ben)).toEqual([movedTo('Permit Submitted')])
    expect(await listOf(ana)).toEqual([])
  })

  test("are no longer notified once the view is private; others' private views are rejected", async () => {
    const ben = await makeUser(partnerId)
    expect((await followFilter(ana, {}, false, ben)).outcome).toBe('missing')
    const { viewId } = await followFilter(ana, {}, true, ben)
    await db.$client`update views set is_shared = false where id = ${viewId}`
    await makeDeal()
    await fanOut()
    expect(await listOf(ana)).toEqual([])
  })
})

describe('notification messages', () => {
  test('about a first change are sent immediately, and about later changes combined after ten minutes', async () => {
    const id = await makeFollowed()
    await write({ id, stage: 'CAD' })
    await fanOut()
    await send()
    expect(sent).toHaveLength(1)
    await write({ id, stage: 'Engineering' })
    await fanOut()
    await write({ id, stage: 'Permit' })
    await fanOut()
    await send()
    expect(sent).toHaveLength(1)
    await db.$client`update notification_deliveries set due_at = due_at - interval '10 minutes 1 second' where due_at is not null`
    await send()
    await send()
    expect(sent).toHaveLength(2)
    expect(sent[1]!.deals).toMatchObject([
      { id: String(id), name: 'Lopez, Ana', news: [movedTo('Engineering'), movedTo('Permit')] },
    ])
  })

  test('about one change of many deals are combined, even across several steps', async () => {
    const ids = await Promise.all(Array.from({ length: 7 }, () => makeDeal()))
    for (const id of ids) await follow(ana, id)
    await fanOut()
    for (const id of ids.slice(0, 4)) await write({ id, stage: 'CAD' })
    await fanOut()
    for (const id of ids.slice(4)) await write({ id, stage: 'CAD' })
    await fanOut()
    await db.$client`update notification_deliveries set due_at = now() where due_at is not null`
    await send()
    expect(sent.map(({ deals }) => deals.length)).toEqual([7])
  })

  test('with a daily schedule cover all deals, and are not sent if everything was read', async () => {
    const ben = await makeUser(partnerId, { schedule: 'daily' })
    const ids = [await makeDeal(), await makeDeal()]
    for (const id of ids) await follow(ben, id)
    await fanOut()
    for (const id of ids) await write({ id, stage: 'CAD' })
    await fanOut()
    const [waiting, ...others] =
      await db.$client`select * from notification_deliveries where user_id = ${ben}`
    expect(others).toEqual([])
    expect(waiting).toMatchObject({ deal_id: '0', due_at: expect.any(String) })
    await markRead(db, partnerId, ben, ids[0]!)
    await db.$client`update notification_deliveries set due_at = now()`
    await send()
    expect(sent.map(({ deals }) => deals.map((deal) => deal.id))).toEqual([[String(ids[1])]])
    await write({ id: ids[0]!, stage: 'Permit' })
    await fanOut()
    await markRead(db, partnerId, ben, null)
    await db.$client`update notification_deliveries set due_at = now() where due_at is not null`
    await send()
    expect(sent).toHaveLength(1)
  })

  test('at night are combined in the morning, and later updates are collected', async () => {
    const zone = Intl.supportedValuesOf('timeZone').find(
      (each) => wallClock(Date.now(), each as Zone).slice(11, 13) === '23',
    )!
    await db.$client`update users set time_zone = ${zone} where id = ${ana}`
    await db.transaction((tx) => saveSettings(tx, ana, { ...always, atNight: false }))
    const ids = [await makeDeal(), await makeDeal(), await makeDeal()]
    const other = await makeDeal()
    for (const id of [...ids, other]) await follow(ana, id)
    await fanOut()
    for (const id of ids) {
      await write({ id, stage: 'CAD' })
      await fanOut()
    }
    const waiting = await db.$client<{ due_at: string; deal_id: string }[]>`
      select deal_id, due_at from notification_deliveries`
    expect(waiting).toEqual([{ deal_id: '0', due_at: expect.any(String) }])
    const waitMs = Date.parse(waiting[0]!.due_at) - Date.now()
    // Seven to eight hours, plus or minus one if the clocks change that night.
    expect(waitMs).toBeGreaterThan(6 * hourMs - 1000)
    expect(waitMs).toBeLessThanOrEqual(9 * hourMs)
    await markRead(db, partnerId, ana, ids[2]!)
    await db.$client`update notification_deliveries set due_at = now()`
    await send()
    expect(sent.map(({ deals }) => deals.map((deal) => deal.id))).toEqual([ids.slice(0, 2).map(String)])
    // By day, updates of several deals are combined for ten minutes after a message.
    await db.transaction((tx) => saveSettings(tx, ana, always))
    await write({ id: ids[0]!, stage: 'Permit' })
    await write({ id: other, stage: 'Permit' })
    await fanOut()
    await send()
    expect(sent).toHaveLength(1)
    await db.$client`update notification_deliveries set due_at = now() where due_at is not null`
    await send()
    expect(sent.slice(1).map(({ deals }) => deals.map((deal) => deal.id))).toEqual([
      [ids[0], other].map(String),
    ])
  })

  test('turn off an e-mail address that is rejected; others are retried', async () => {
    const id = await makeFollowed()
    await write({ id, stage: 'CAD' })
    await fanOut()
    outcome = {
      problem: 'the mail server does not answer in time',
      isPermanent: false,
      isRecipientGone: false,
    }
    await send()
    const [waiting] = await db.$client`select * from notification_deliveries where user_id = ${ana}`
    expect(waiting).toMatchObject({ leased_until: null, due_at: expect.any(String), sent_at: null })
    await db.$client`update notification_deliveries set due_at = now()`
    outcome = {
      problem: 'the mail server rejects the mail with 550',
      isPermanent: true,
      isRecipientGone: true,
    }
    await send()
    expect(await readSettings(db, ana)).toMatchObject({
      mailProblem: 'the mail server rejects the mail with 550',
    })
    outcome = null
    await write({ id, stage: 'Permit' })
    await fanOut()
    await db.$client`update notification_deliveries set due_at = now() where due_at is not null`
    await send()
    expect(sent).toEqual([])
    expect(await listOf(ana)).toHaveLength(2)
  })

  test.each<[string, (id: bigint) => Promise<unknown>]>([
    ['unfollowed the deal', (id) => follow(ana, id, false)],
    ['were removed', () => db.$client`delete from users where id = ${ana}`],
    [
      'moved to another partner',
      async () => db.$client`update users set partner_id = ${await makePartner()} where id = ${ana}`,
    ],
    [
      'belong to a suspended partner',
      () => db.$client`update partners set suspended_at = now() where id = ${partnerId}`,
    ],
    ['lost the deal to another partner', async (id) => write({ id }, await makePartner())],
    ['lost the deal because it was deleted', (id) => deleteDeal(db, id)],
    [
      'turned off this kind of notification',
      () => db.transaction((tx) => saveSettings(tx, ana, { ...always, stage: false })),
    ],
  ])('are not sent to users who %s in the meantime', async (_what, lose) => {
    const id = await makeFollowed()
    await write({ id, stage: 'CAD' })
    await fanOut()
    expect((await db.$client`select from notification_deliveries where due_at is not null`).length).toBe(1)
    await lose(id)
    await send()
    expect(sent).toEqual([])
    await fanOut()
    expect((await db.$client`select from notification_deliveries where due_at <= now()`).length).toBe(0)
  })

  test('are sent once, even if their jobs run again', async () => {
    const id = await makeDeal()
    const others = await Promise.all(Array.from({ length: 5 }, () => makeUser(partnerId)))
    for (const user of [ana, ...others]) await follow(user, id)
    await fanOut()
    await write({ id, stage: 'CAD' })
    await Promise.all([fanOut(), fanOut()])
    await Promise.all([send(), send()])
    expect(new Set(sent.map((content) => content.user.id)).size).toBe(6)
    const messages = await db.$client<{ id: number }[]>`select id from notification_deliveries`
    for (const message of messages) await sendMessage({ db, channels: { mail } }, 'mail', message.id)
    expect(sent).toHaveLength(6)
  })

  test('about many concurrent changes need only one job', async () => {
    const id = await makeFollowed()
    for (let change = 0; change < 20; change++) await write({ id, stage: `Stage ${change}` })
    let jobs = 0
    await runDueJobs(db, {
      'notify-of-events': async (job) => {
        jobs++
        await notifyOfEvents(db, job.partnerId as PartnerId)
      },
    })
    expect([jobs, (await listOf(ana)).length]).toEqual([1, 20])
  })

  test('are neither lost nor repeated when a worker is killed while reading events', async () => {
    const id = await makeFollowed()
    await write({ id, stage: 'CAD' })
    await expect(fanOutEvents(killedBeforeCommit(), partnerId)).rejects.toThrow('killed')
    expect(await listOf(ana)).toHaveLength(0)
    await Promise.all([fanOutEvents(db, partnerId), fanOutEvents(db, partnerId)])
    await fanOut()
    expect(await listOf(ana)).toEqual([movedTo('CAD')])
    await send()
    expect(sent).toHaveLength(1)
  })
})

describe('an assignment by a colleague', () => {
  const assign = (by: number, assignment: Assignment) =>
    db.transaction((tx) => assignDeals(tx, partnerId, by, assignment))
  const pass = () => db.$client`update notification_deliveries set due_at = now() where due_at is not null`
  const byBen = { kind: 'messages', changes: { assignedBy: 'Ben Ito' } }
  const awayBy = (unassignedBy: string) => ({
    kind: 'messages',
    changes: { unassignedBy, assignedTo: null, isTakenOver: false },
  })
  let ben: number
  let ids: bigint[]
  beforeEach(async () => {
    ben = await makeUser(partnerId)
    await db.$client`update users set name = 'Ben Ito' where id = ${ben}`
    ids = [await makeDeal(), await makeDeal()]
  })

  test('notifies the assignee, not the assigner, in the portal and with one mail', async () => {
    await assign(ben, { ids, userId: ana })
    await assign(ben, { ids, userId: ana })
    await Promise.all([fanOut(), fanOut()])
    await fanOut()
    expect(await listOf(ana)).toEqual([byBen, byBen])
    expect(await listOf(ben)).toEqual([])
    await send()
    expect(sent).toEqual([])
    await pass()
    await Promise.all([send(), send()])
    expect(sent.map(({ user, deals }) => [user.id, deals.map((deal) => deal.id)])).toEqual([
      [ana, ids.map(String)],
    ])
    await assign(ana, { ids: [ids[0]!], userId: ana })
    await assign(ben, { ids: [ids[1]!], userId: ben })
    await fanOut()
    expect(await listOf(ben)).toEqual([])
    // A user who has turned off messages is not notified.
    await db.transaction((tx) => saveSettings(tx, ben, { ...always, messages: false }))
    await assign(ana, { ids: [ids[0]!], userId: ben })
    await fanOut()
    expect(await listOf(ben)).toEqual([])
  })

  test.each([
    ['before the notification', async () => {}],
    ['before the mail', () => fanOut()],
  ])('causes no notification if undone %s', async (_when, tell) => {
    const cid = await makeUser(partnerId)
    await assign(cid, { ids: [ids[0]!], userId: cid })
    await fanOut()
    const before = await assign(ben, { ids, userId: ana })
    await tell()
    for (const former of before) await assign(ben, former)
    await fanOut()
    for (const userId of [ana, cid]) expect(await listOf(userId)).toEqual([])
    await pass()
    await send()
    expect(sent).toEqual([])
  })

  test('stays in the portal once sent, or after ten minutes', async () => {
    await assign(ben, { ids: [ids[0]!], userId: ana })
    await fanOut()
    await pass()
    await send()
    expect(sent).toHaveLength(1)
    await assign(ben, { ids: [ids[1]!], userId: ana })
    await fanOut()
    await db.$client`
      update notifications set created_at = now() - interval '11 minutes' where deal_id = ${String(ids[1])}`
    for (const id of ids) await assign(ben, { ids: [id], userId: null })
    await fanOut()
    expect(await listOf(ana)).toEqual([awayBy('Ben Ito'), awayBy('Ben Ito'), byBen, byBen])
  })

  test('when undone, notifies the former assignee with one mail, but not a user who gave the deal away', async () => {
    const cid = await makeUser(partnerId)
    await db.$client`update users set name = 'Cid Moss' where id = ${cid}`
    await assign(ben, { ids, userId: ana })
    await assign(ben, { ids: [await makeDeal()], userId: cid })
    await fanOut()
    await pass()
    await send()
    await db.$client`update notification_deliveries set sent_at = now() - interval '11 minutes'`
    sent = []
    await assign(ben, { ids: [ids[0]!], userId: cid })
    await assign(ben, { ids: [ids[1]!], userId: ben })
    await fanOut()
    await send()
    expect(sent).toEqual([])
    await pass()
    await Promise.all([send(), send()])
    const toCid = { unassignedBy: 'Ben Ito', assignedTo: 'Cid Moss', isTakenOver: false }
    expect(
      sent.filter(({ user }) => user.id === ana).map(({ deals }) => deals.flatMap(({ news }) => news)),
    ).toEqual([
      [
        { kind: 'messages', changes: toCid },
        { kind: 'messages', changes: { ...toCid, assignedTo: null, isTakenOver: true } },
      ],
    ])
    expect((await listOf(cid))[0]).toEqual(byBen)
    // Neither a user who gives a deal away nor a user who has turned messages off is notified.
    await assign(ben, { ids: [ids[1]!], userId: null })
    await db.transaction((tx) => saveSettings(tx, cid, { ...always, messages: false }))
    await assign(ben, { ids: [ids[0]!], userId: null })
    await fanOut()
    expect(await listOf(ben)).toEqual([])
    expect(await listOf(cid)).toHaveLength(2)
  })

  test('notifies again after being undone and repeated only if the removal was sent', async () => {
    await assign(ben, { ids, userId: ana })
    await fanOut()
    await pass()
    await send()
    const take = () => assign(ben, { ids: [ids[0]!], userId: null })
    for (const tell of [async () => {}, () => fanOut()]) {
      await take()
      await tell()
      await assign(ben, { ids: [ids[0]!], userId: ana })
      await fanOut()
      expect(await listOf(ana)).toEqual([byBen, byBen])
    }
    await take()
    await fanOut()
    await pass()
    await send()
    await assign(ben, { ids: [ids[0]!], userId: ana })
    await fanOut()
    expect(await listOf(ana)).toEqual([byBen, awayBy('Ben Ito'), byBen, byBen])
  })

  test('is sent once, even if a worker is killed halfway', async () => {
    await assign(ben, { ids, userId: ana })
    await expect(fanOutAssignments(killedBeforeCommit(), partnerId)).rejects.toThrow('killed')
    expect(await listOf(ana)).toEqual([])
    await fanOut()
    expect(await listOf(ana)).toHaveLength(2)
  })
})

describe('an explicitly added notification', () => {
  test('reaches users who may see the deal, once per key, whether or not they follow it', async () => {
    const id = await makeDeal()
    const eve = await makeUser(await makePartner())
    const operator = await makeUser(null)
    const rows = [ana, eve, operator].map((userId): NewNotification => ({
      userId,
      partnerId,
      dealId: id,
      key: 'message:1',
      kind: 'messages',
      changes: { threadId: 7, author: 'Maria', text: 'Done.', isMention: false },
    }))
    const add = () => db.$client.begin((sql) => addNotifications(sql, rows))
    await add()
    await add()
    for (const userId of [ana, operator]) expect(await listOf(userId, everyone)).toHaveLength(1)
    expect(await listOf(eve, everyone)).toEqual([])
    await send()
    expect(sent.map(({ user }) => user.id).toSorted()).toEqual([ana, operator].toSorted())
    expect(await readContent(db, { userId: eve, notificationIds: [] })).toBeUndefined()
  })
})

describe('the end of a day', () => {
  const onDay = (days: number) => new Date(Math.floor(Date.now() / dayMs + days) * dayMs).toISOString()

  test('triggers one notification for steps that are late, due the next day, or no longer late', async () => {
    const planned = { stage: 'Permit', permitSubmitted: onDay(-20) }
    const late = await makeDeal({ ...planned, expectedPermitDeliveryDate: onDay(-1) })
    const longLate = await makeDeal({ ...planned, expectedPermitDeliveryDate: onDay(-9) })
    const ahead = await makeDeal({ ...planned, expectedPermitDeliveryDate: onDay(1) })
    for (const id of [late, longLate, ahead]) await follow(ana, id)
    await fanOut()
    await notifyOfDays(db, partnerId, new Date())
    expect(await listOf(ana)).toEqual([])
    await db.$client`update notification_days set day = day - 2 where partner_id = ${partnerId}`
    expect(await findEndedDays(db, partnerId, new Date())).toMatchObject([{ zone: utc }])
    await notifyOfDays(db, partnerId, new Date())
    await notifyOfDays(db, partnerId, new Date())
    expect(await findEndedDays(db, partnerId, new Date())).toEqual([])
    const isLate = { step: 'permit', due: onDay(-1), isLate: true }
    expect(await listOf(ana)).toEqual([
      { kind: 'dates', changes: { ahead: { step: 'permit', due: onDay(1) } } },
      { kind: 'late', changes: isLate },
    ])
    expect(await findPartnersNoLongerLate(db)).not.toContain(partnerId)
    await write({ id: late, permitReceived: onDay(-1) })
    expect(await findPartnersNoLongerLate(db)).toContain(partnerId)
    await notifyOfDays(db, partnerId, new Date())
    await notifyOfDays(db, partnerId, new Date())
    expect((await listOf(ana)).filter(({ kind }) => kind === 'late')).toEqual([
      { kind: 'late', changes: { ...isLate, isLate: false } },
      { kind: 'late', changes: isLate },
    ])
  })

  test('triggers one notification for deals that enter or leave followed views just because time passed', async () => {
    const permit = { stage: 'Permit', permitSubmitted: onDay(-20) }
    const late = await makeDeal({ ...permit, expectedPermitDeliveryDate: onDay(-1) })
    await makeDeal({ ...permit, expectedPermitDeliveryDate: onDay(-2) })
    const soon = await makeDeal({ stage: 'Install', installedScheduled: onDay(6) })
    const gone = await makeDeal({ stage: 'Install', installedScheduled: onDay(-1) })
    const others = [onDay(5), onDay(7), onDay(-2)]
    for (const installedScheduled of others) await makeDeal({ stage: 'Install', installedScheduled })
    const ben = await makeUser(partnerId)
    const cid = await makeUser(partnerId, { stage: false })
    const thisWeek = { dates: { installedScheduled: 'next-7-days' } }
    // The view as it was when the user followed it.
    const former = { dates: { installedScheduled: { from: '2020-01-01', to: '2020-01-07' } } }
    for (const [user, stage] of [
      [ana, 'Install'],
      [ben, 'CAD'],
      [cid, 'Install'],
    ] as const)
      await followFilter(user, { ...former, stages: [stage] }, true, user, 'This week', thisWeek)
    for (const user of [ana, ben]) await followFilter(user, { isLate: true }, false, user, 'Late')
    await fanOut()
    for (const day of [onDay(-1), onDay(0), onDay(0)]) await notifyOfDays(db, partnerId, new Date(day))
    const moves = await db.$client<{ userId: number; dealId: string; views: ViewMoves }[]>`
      select user_id as "userId", deal_id::text as "dealId", changes -> 'views' as views
      from notifications where partner_id = ${partnerId} and kind = 'stage' order by user_id, deal_id`
    const enters = (name: string) => ({ entered: [name], left: [] })
    expect(moves).toEqual([
      { userId: ana, dealId: String(late), views: enters('Late') },
      { userId: ana, dealId: String(soon), views: enters('This week') },
      { userId: ana, dealId: String(gone), views: { entered: ['Late'], left: ['This week'] } },
      { userId: ben, dealId: String(late), views: enters('Late') },
      { userId: ben, dealId: String(gone), views: enters('Late') },
    ])
    await db.$client`update notification_deliveries set due_at = now() where due_at is not null`
    await send()
    expect(sent.map(({ deals }) => deals.map(({ id }) => id)).flat()).toContain(String(gone))
    // Later changes are also compared using the current day.
    await write({ id: soon, installedScheduled: onDay(9) })
    await fanOut()
    expect(await listOf(ana)).toContainEqual({
      kind: 'stage',
      changes: { views: { entered: [], left: ['This week'] } },
    })
  })

  test('evaluates only views that depend on the day, and reports a limited number of deals', async () => {
    const days = { from: onDay(-1).slice(0, 10), to: onDay(0).slice(0, 10) }
    const { viewId } = await followFilter(ana, { stages: ['Permit'] })
    await db.$client`
      insert into follows (user_id, view_id, filter)
      values (${await makeUser(partnerId)}, ${viewId}, '{"stages":["CAD"],"inStep":{"permit":0}}')`
    await db.$client.begin(async (sql) => {
      const evaluating = { savepoint: () => expect.unreachable() }
      const watched = Object.assign((...args: [never]) => sql(...args), sql, evaluating)
      expect(await readDayMoves(watched as never, partnerId, utc, days)).toEqual([])
    })
    await followFilter(ana, { isLate: true })
    const record = { stage: 'Permit', permitSubmitted: onDay(-20), expectedPermitDeliveryDate: onDay(-1) }
    const deals = Array.from({ length: dayMovesMax + 1 }, () => ({
      record: { id: ++last, ...record },
      partnerId,
    }))
    await writeDeals(db, deals, { now: new Date(), events: true })
    const moves = await db.$client.begin((sql) => readDayMoves(sql, partnerId, utc, days))
    expect(moves).toHaveLength(dayMovesMax)
  })
})

test('is handled by one job per partner', async () => {
  const others = [partnerId, await makePartner()]
  for (const owner of others) await follow(await makeUser(owner), await makeDeal({}, owner), true, owner)
  await fanOut()
  await sendDayJobs(db, new Date())
  await sendDayJobs(db, new Date())
  const jobs = await db.$client<{ id: number }[]>`
    select (data ->> 'partnerId')::integer as id from pgboss.job where name = 'notify-of-days'`
  expect(
    jobs
      .map(({ id }) => id)
      .filter((id) => others.includes(id as PartnerId))
      .toSorted(),
  ).toEqual(others.toSorted())
})

test('old notifications and messages are deleted', async () => {
  const id = await makeFollowed()
  for (const stage of ['CAD', 'Engineering']) await write({ id, stage })
  await fanOut()
  await db.$client`
    update notifications set created_at = now() - interval '91 days'
    where id = (select min(id) from notifications where deal_id = ${String(id)})`
  await db.$client`update notification_deliveries set created_at = now() - interval '15 days'`
  expect(await removeOldNotifications(db, notificationRetentionDays)).toBe(1)
  expect(await listOf(ana)).toEqual([movedTo('Engineering')])
  expect((await db.$client`select from notification_deliveries`).length).toBe(0)
})

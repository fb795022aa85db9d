import { beforeEach, expect, test } from 'vitest'
import { closeAfterEach, encryptionKey, openQueue } from '#e2e/dispatchers.ts'
import type { Answer, Receiver } from '#e2e/receiver.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import { signedIn } from '#e2e/signed-in.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { DealRecord } from '../deals/deal.ts'
import { parseCidrs } from '../net/ip-address.ts'
import type { Services } from '../runtime/services.ts'
import { makeSafeFetch } from '../webhooks/safe-fetch.ts'
import { fanOutFiles } from './fan-out-store.ts'
import { notifyOfDays, notifyOfEvents } from './notifier.ts'
import { type PostDeps, postNews } from './post-news.ts'
import { channelsRouter } from './router.ts'
import type { TeamKind, TeamService } from './wire.ts'

const { keep, listen } = closeAfterEach()
const { db, makeId } = await openQueue()
const publicUrl = 'https://deals.example.com'
const { $client: sql } = db

let deps: PostDeps
let partnerId: number
let slack: Receiver
beforeEach(async () => {
  await sql`delete from team_channels`
  await sql`delete from pgboss.job`
  const endpointRules = { allowHttp: true, allowed: parseCidrs('127.0.0.0/8') }
  const safeFetch = keep(makeSafeFetch(endpointRules, async () => ['127.0.0.1']))
  deps = { db, safeFetch, encryptionKey, publicUrl }
  slack = await listen(() => 200)
  partnerId = (await insertPartner(db, crypto.randomUUID(), 'A partner'))!.id
})

async function asAdmin(allowed = '127.0.0.0/8', resolve = async () => ['127.0.0.1']) {
  const services = {
    db,
    encryptionKey,
    endpointRules: { allowHttp: true, allowed: parseCidrs(allowed) },
    resolve,
    webhooks: { safeFetch: deps.safeFetch },
    config: { publicUrl },
  } as unknown as Services
  return channelsRouter.createCaller(await signedIn(services, { role: 'admin', partnerId }))
}

const allKinds: TeamKind[] = ['stage', 'dates', 'late', 'items', 'files']

async function addChannel(kinds = allKinds, service: TeamService = 'slack', path = '/services/T0/B0/secret') {
  const admin = await asAdmin()
  await admin.add({ name: '#deals', service, url: `${slack.url}${path}`, kinds })
  return admin
}

const write = (...records: DealRecord[]) => writeFor(partnerId, ...records)
const writeFor = (owner: number, ...records: DealRecord[]) =>
  writeDeals(
    db,
    records.map((record) => ({ record, partnerId: owner as never })),
    { now: new Date(), events: true },
  )

const events = (job: { partnerId: number }) => notifyOfEvents(db, job.partnerId as PartnerId)

/** Runs the due jobs, as a worker does. Returns the problems of failed jobs. */
const work = () =>
  runDueJobs(db, {
    'notify-of-events': events,
    'notify-of-files': (job) => fanOutFiles(db, job.partnerId as PartnerId, job.fileIds),
    'notify-of-days': (job) => notifyOfDays(db, job.partnerId as PartnerId, new Date()),
    'team-post': ({ channelId }) => postNews(deps, channelId),
  })

async function pass() {
  await sql`update team_channels set due_at = now()`
  await sql`update channel_news set due_at = now()`
  await sql`update pgboss.job set start_after = now() where name = 'team-post'`
}

const posted = () =>
  slack.requests.map(({ body }) =>
    (JSON.parse(body) as { blocks: { text?: { text: string } }[] }).blocks.flatMap(
      ({ text }) => text?.text ?? [],
    ),
  )

test('a channel gets the kinds of changes it selected once, starting when it was added', async () => {
  const [old, id] = [makeId(), makeId()]
  await write({ id: old, dealname: 'Before', stage: 'New' })
  const admin = await addChannel(['stage'])
  await work()
  expect(slack.requests).toEqual([])
  await write(
    { id, dealname: 'Lopez & <Sons>', stage: 'Permit Submitted' },
    { id: old, hasOutstandingItems: true },
  )
  await work()
  await pass()
  await work()
  expect(posted()).toEqual([
    [`*<${publicUrl}/deals/${id}|Lopez &amp; &lt;Sons&gt;>*\n• Deal added in Permit Submitted`],
  ])
  await pass()
  await work()
  expect(slack.requests).toHaveLength(1)
  expect(slack.requests[0]!.path).toBe('/services/T0/B0/secret')
  expect((await admin.list())[0]).toMatchObject({ problem: null, lastSentAt: expect.any(Date) })
})

test('changes within ten minutes are one message', async () => {
  await addChannel()
  const id = makeId()
  await write({ id, dealname: 'Ana', stage: 'New' })
  await work()
  await write({ id, stage: 'Permit Submitted' })
  await write({ id, stage: 'Install Scheduled' })
  await work()
  expect(slack.requests).toHaveLength(1)
  const [{ wait }] = await sql<[{ wait: number }]>`
    select extract(epoch from start_after - now())::float8 as wait from pgboss.job where name = 'team-post'`
  expect(wait).toBeGreaterThan(590)
  await pass()
  await work()
  expect(posted()[1]).toEqual([
    expect.stringContaining('Stage moved to Permit Submitted\n• Stage moved to Install Scheduled'),
  ])
})

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

test('posts files, late deals and upcoming steps, but nothing private to a thread', async () => {
  await addChannel(['files', 'late', 'dates'])
  const [late, soon, fine] = [makeId(), makeId(), makeId()]
  const permit = { stage: 'Permit Submitted', permitSubmitted: day(-20), ntpApproved: day(-30) }
  await write(
    { id: late, dealname: 'Late', ...permit, expectedPermitDeliveryDate: day(-1) },
    { id: soon, dealname: 'Soon', ...permit, expectedPermitDeliveryDate: day(1) },
    { id: fine, dealname: 'Fine', ...permit, expectedPermitDeliveryDate: day(9) },
  )
  await sql`
    insert into files (id, deal_id, name, type, size_bytes)
    values (${crypto.randomUUID()}, ${String(fine)}, 'roof.jpg', 'image/jpeg', 1)`
  // A file attached to a question.
  await sql`
    insert into files (id, deal_id, thread_partner_id, name, type, size_bytes)
    select ${crypto.randomUUID()}, id, partner_id, 'private.jpg', 'image/jpeg', 1 from deals where id = ${String(fine)}`
  await work()
  for (const now of [day(-1), day(0), day(0)]) await notifyOfDays(db, partnerId as PartnerId, new Date(now))
  const waiting = await sql<{ hour: number }[]>`
    select extract(hour from due_at)::integer as hour from channel_news where kind in ('late', 'dates')`
  expect(waiting).toHaveLength(2)
  // Due in the morning, or immediately if the morning has passed.
  for (const { hour } of waiting) expect(hour).toBeGreaterThanOrEqual(7)
  await pass()
  await work()
  const text = posted().flat().join('\n')
  expect(text).toContain('Fine>*\n• File added: roof.jpg')
  expect(text).not.toContain('private.jpg')
  expect(text).toMatch(/Late>\*\n• Permit is late: was due /)
  expect(text).toMatch(/Soon>\*\n• Permit is planned for /)
  expect(text.match(/Permit is/g)).toHaveLength(2)
})

test('changes before a channel is added or while it is off are never posted', async () => {
  await write({ id: makeId(), dealname: 'Before', stage: 'New' })
  const admin = await addChannel()
  const { id } = (await admin.list())[0]!
  await work()
  await write({ id: makeId(), dealname: 'Waits', stage: 'New' })
  await runDueJobs(db, { 'notify-of-events': events })
  await admin.switch({ id, isOn: false })
  await write({ id: makeId(), dealname: 'While it is off', stage: 'New' })
  await admin.switch({ id, isOn: true })
  await work()
  await pass()
  await work()
  expect(slack.requests).toEqual([])
})

test.each<[string, TeamService, Answer, string]>([
  ['status 500', 'slack', () => 500, 'HTTP 500: taken'],
  [
    'a failure with status 200',
    'teams',
    (_request, response) =>
      void response.end('Webhook message delivery failed with error: returned HTTP error 429'),
    'HTTP 200: Webhook message delivery failed with error: returned HTTP error 429',
  ],
])('after %s, updates are posted later together with newer ones', async (_what, service, answer, problem) => {
  const admin = await addChannel(allKinds, service)
  slack.answer = answer
  await write({ id: makeId(), dealname: 'Ana', stage: 'New' })
  expect(await work()).toEqual([problem])
  expect((await admin.list())[0]).toMatchObject({ problem, switchedOffAt: null })
  slack.answer = () => 200
  await write({ id: makeId(), dealname: 'Ben', stage: 'New' })
  await pass()
  expect(await work()).toEqual([])
  expect(slack.requests).toHaveLength(2)
  for (const name of ['Ana', 'Ben']) expect(slack.requests[1]!.body).toContain(name)
  expect((await admin.list())[0]).toMatchObject({ problem: null })
  expect(await sql`select from channel_news`).toHaveLength(0)
})

test.each([401, 403, 404, 410])(
  'a channel that responds with %i is turned off, until an admin turns it on',
  async (status) => {
    const admin = await addChannel()
    slack.answer = () => status
    await write({ id: makeId(), stage: 'New' })
    await pass()
    await work()
    const [channel] = await admin.list()
    expect(channel).toMatchObject({ switchedOffBecause: 'rejected', problem: `HTTP ${status}: taken` })
    slack.answer = () => 200
    await pass()
    await work()
    expect(slack.requests).toHaveLength(1)
    await admin.switch({ id: channel!.id, isOn: true })
    await write({ id: makeId(), dealname: 'After', stage: 'New' })
    await pass()
    await work()
    expect(posted()[1]).toEqual([expect.stringContaining('After')])
  },
)

test('a channel with an undecryptable URL and a partner with unreadable events do not stop others', async () => {
  const broken = await addChannel()
  const first = partnerId
  await sql`update team_channels set encrypted_url = 'no'`
  partnerId = (await insertPartner(db, crypto.randomUUID(), 'Second'))!.id
  await addChannel()
  const second = partnerId
  partnerId = (await insertPartner(db, crypto.randomUUID(), 'Third'))!.id
  await addChannel()
  for (const owner of [first, second, partnerId]) await writeFor(owner, { id: makeId(), stage: 'New' })
  await sql`update events set body = 'no JSON' where partner_id = ${second}`
  expect((await work()).toSorted()).toEqual([
    expect.stringContaining('json'),
    'the URL of the channel cannot be decrypted',
  ])
  expect(slack.requests).toHaveLength(1)
  expect((await broken.list())[0]).toMatchObject({ problem: 'the URL of the channel cannot be decrypted' })
  await sql`delete from events where partner_id = ${second}`
})

test('posts to the full URL of a Teams workflow', async () => {
  const path = '/powerautomate/automations/direct/workflows/3f/triggers/manual/paths/invoke'
  const query = '?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=A_b-C1'
  const admin = await addChannel(allKinds, 'teams', path + query)
  slack.answer = () => 202
  const [channel] = await admin.list()
  expect(channel!.shownUrl).toMatch(/^127\.0\.0\.1:\d+\/…b-C1$/)
  expect(await admin.test({ id: channel!.id })).toEqual({ problem: null })
  await write({ id: makeId(), dealname: 'Ana', stage: 'New' })
  expect(await work()).toEqual([])
  expect(slack.requests.map((request) => request.path)).toEqual([path + query, path + query])
  const message = JSON.parse(slack.requests[1]!.body) as { attachments: { contentType: string }[] }
  expect(message.attachments[0]!.contentType).toBe('application/vnd.microsoft.card.adaptive')
})

test('many changes are combined in one message, with the number of omitted deals', async () => {
  await addChannel(['stage'])
  const ids = Array.from({ length: 1200 }, makeId)
  await write(...ids.map((id) => ({ id, dealname: 'Ana', stage: 'New' })))
  await write(...ids.slice(0, 600).map((id) => ({ id, stage: 'CAD' })))
  // This kind of change was not chosen.
  await write(...ids.slice(0, 20).map((id) => ({ id, hasOutstandingItems: true })))
  await runDueJobs(db, { 'notify-of-events': events })
  await work()
  // Posts are delayed, because an import takes a while.
  expect(slack.requests).toEqual([])
  await pass()
  await work()
  expect(posted()[0]).toHaveLength(10)
  expect(slack.requests[0]!.body).toContain('and 1,190 more deals with changes')
  await pass()
  await work()
  expect(slack.requests).toHaveLength(1)
})

test('posts nothing about a deal that has moved to another partner, or for a suspended partner', async () => {
  await addChannel()
  const id = makeId()
  await write({ id, stage: 'New' })
  await runDueJobs(db, { 'notify-of-events': events })
  const other = (await insertPartner(db, crypto.randomUUID(), 'Other'))!
  await writeDeals(db, [{ record: { id }, partnerId: other.id }], { now: new Date(), events: true })
  await pass()
  await work()
  await write({ id: makeId(), stage: 'New' })
  await runDueJobs(db, { 'notify-of-events': events })
  await sql`update partners set suspended_at = now() where id = ${partnerId}`
  await pass()
  await work()
  expect(slack.requests).toEqual([])
  expect(await sql`select from channel_news`).toHaveLength(0)
})

test('rejects an internal URL, and a channel belongs to one partner', async () => {
  const admin = await asAdmin('203.0.113.0/24', async () => ['10.0.0.1'])
  const channel = { name: 'x', service: 'slack' as const, kinds: ['stage' as const] }
  for (const url of ['http://127.0.0.1/x', 'https://10.0.0.1/x', 'https://intranet.example/x', 'no'])
    await expect(admin.add({ ...channel, url })).rejects.toThrow('The URL cannot be used')
  const owner = await addChannel()
  const { id } = (await owner.list())[0]!
  expect(JSON.stringify(await owner.list())).not.toContain('/services')
  expect(await owner.test({ id })).toEqual({ problem: null })
  partnerId = (await insertPartner(db, crypto.randomUUID(), 'Other'))!.id
  const other = await asAdmin()
  expect(await other.list()).toEqual([])
  for (const attempt of [
    () => other.test({ id }),
    () => other.remove({ id }),
    () => other.switch({ id, isOn: false }),
  ])
    await expect(attempt()).rejects.toThrow('Team channel')
})

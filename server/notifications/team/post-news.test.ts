import { beforeEach, expect, test } from 'vitest'
import { closeAfterEach, encryptionKey } from '#e2e/dispatchers.ts'
import { openQueue } from '#e2e/queue-fixture.ts'
import type { Receiver } from '#e2e/receiver.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { insertPartner } from '../../accounts/store.ts'
import { writeDeals } from '../../deals/deal-writer.ts'
import type { DealRecord } from '../../deals/deal.ts'
import { parseCidrs } from '../../protocol/ip-address.ts'
import type { Services } from '../../runtime/services.ts'
import { makeSafeFetch } from '../../webhooks/dispatcher/safe-fetch.ts'
import { type PostDeps, postDueNews } from './post-news.ts'
import { channelsRouter } from './router.ts'
import type { TeamKind } from './wire.ts'

const { keep, listen } = closeAfterEach()
const { db, makeId } = await openQueue()
const publicUrl = 'https://deals.example.com'
const { $client: sql } = db

let deps: PostDeps
let partnerId: number
let slack: Receiver
beforeEach(async () => {
  await sql`delete from team_channels`
  const endpointRules = { allowHttp: true, allowed: parseCidrs('127.0.0.0/8') }
  const safeFetch = keep(makeSafeFetch(endpointRules, async () => ['127.0.0.1']))
  deps = { db, safeFetch, encryptionKey, publicUrl }
  slack = await listen(() => 200)
  partnerId = (await insertPartner(db, crypto.randomUUID(), 'A partner'))!.id
})

/** Returns the procedures of an admin of the partner. */
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

async function addChannel(kinds: TeamKind[] = ['stage', 'dates', 'late', 'items', 'files']) {
  const admin = await asAdmin()
  await admin.add({ name: '#deals', service: 'slack', url: `${slack.url}/services/T0/B0/secret`, kinds })
  return admin
}

const write = (...records: DealRecord[]) =>
  writeDeals(
    db,
    records.map((record) => ({ record, partnerId: partnerId as never })),
    { now: new Date(), events: true },
  )

/** Advances the time until channels are checked again. */
const pass = () => sql`update team_channels set due_at = now()`

const posted = () =>
  slack.requests.map(({ body }) =>
    (JSON.parse(body) as { blocks: { text?: { text: string } }[] }).blocks.flatMap(
      ({ text }) => text?.text ?? [],
    ),
  )

test('a channel gets the kinds of changes it chose, once, from when it was added', async () => {
  const [old, id] = [makeId(), makeId()]
  await write({ id: old, dealname: 'Before', stage: 'New' })
  const admin = await addChannel(['stage'])
  await postDueNews(deps)
  expect(slack.requests).toEqual([])
  await write(
    { id, dealname: 'Lopez & <Sons>', stage: 'Permit Submitted' },
    { id: old, hasOutstandingItems: true },
  )
  await pass()
  await postDueNews(deps)
  expect(posted()).toEqual([
    [`*<${publicUrl}/deals/${id}|Lopez &amp; &lt;Sons&gt;>*\n• Deal added in Permit Submitted`],
  ])
  await pass()
  await postDueNews(deps)
  expect(slack.requests).toHaveLength(1)
  expect(slack.requests[0]!.path).toBe('/services/T0/B0/secret')
  expect((await admin.list())[0]).toMatchObject({ problem: null, lastSentAt: expect.any(Date) })
})

test('changes within ten minutes are one message', async () => {
  await addChannel()
  const id = makeId()
  await write({ id, dealname: 'Ana', stage: 'New' })
  await pass()
  await postDueNews(deps)
  await write({ id, stage: 'Permit Submitted' })
  await write({ id, stage: 'Install Scheduled' })
  await postDueNews(deps)
  expect(slack.requests).toHaveLength(1)
  const [{ wait }] = await sql<[{ wait: number }]>`
    select extract(epoch from due_at - now())::float8 as wait from team_channels`
  expect(wait).toBeGreaterThan(590)
  await pass()
  await postDueNews(deps)
  expect(posted()[1]).toEqual([
    expect.stringContaining('Stage moved to Permit Submitted\n• Stage moved to Install Scheduled'),
  ])
})

test('posts files and newly late deals, but not those on time', async () => {
  await addChannel(['files', 'late'])
  const [late, fine] = [makeId(), makeId()]
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const permit = { stage: 'Permit Submitted', permitSubmitted: day(-20), ntpApproved: day(-30) }
  await write(
    { id: late, dealname: 'Late', ...permit, expectedPermitDeliveryDate: day(-2) },
    { id: fine, dealname: 'Fine', ...permit, expectedPermitDeliveryDate: day(9) },
  )
  await sql`
    insert into files (id, deal_id, name, type, size_bytes, created_at)
    values (${crypto.randomUUID()}, ${String(fine)}, 'roof.jpg', 'image/jpeg', 1, now() - interval '2 minutes')`
  await sql`
    insert into files (id, deal_id, thread_partner_id, name, type, size_bytes, created_at)
    select ${crypto.randomUUID()}, id, partner_id, 'private.jpg', 'image/jpeg', 1, now() - interval '2 minutes'
    from deals where id = ${String(fine)}`
  await sql`update team_channels set files_until = now() - interval '1 hour', late_until = ${day(-5).slice(0, 10)}`
  // Late deals are posted in the morning.
  const isMorning = new Date().getUTCHours() >= 7
  await pass()
  await postDueNews(deps)
  const text = posted().flat().join('\n')
  expect(text).toContain('File added: roof.jpg')
  // The attachment of a question.
  expect(text).not.toContain('private.jpg')
  if (isMorning) expect(text).toMatch(/Late>\*\n• Permit is late: was due /)
  expect(text).not.toContain('Fine>*\n• Permit')
})

test('a failure is retried later with all newer changes', async () => {
  const admin = await addChannel()
  slack.answer = () => 500
  await write({ id: makeId(), dealname: 'Ana', stage: 'New' })
  await pass()
  await postDueNews(deps)
  expect((await admin.list())[0]).toMatchObject({ problem: 'HTTP 500: taken', switchedOffAt: null })
  slack.answer = () => 200
  await write({ id: makeId(), dealname: 'Ben', stage: 'New' })
  await pass()
  await postDueNews(deps)
  expect(posted()[1]).toHaveLength(2)
  expect((await admin.list())[0]).toMatchObject({ problem: null })
})

test.each([403, 404, 410])(
  'a channel that answers %i is switched off, until an admin switches it on',
  async (status) => {
    const admin = await addChannel()
    slack.answer = () => status
    await write({ id: makeId(), stage: 'New' })
    await pass()
    await postDueNews(deps)
    const [channel] = await admin.list()
    expect(channel).toMatchObject({ switchedOffBecause: 'rejected', problem: `HTTP ${status}: taken` })
    slack.answer = () => 200
    await pass()
    await postDueNews(deps)
    expect(slack.requests).toHaveLength(1)
    await admin.switch({ id: channel!.id, isOn: true })
    await write({ id: makeId(), dealname: 'After', stage: 'New' })
    await pass()
    await postDueNews(deps)
    expect(posted()[1]).toEqual([expect.stringContaining('After')])
  },
)

test('two workers post once, and a message leased by a killed one is posted after its lease', async () => {
  await addChannel()
  await write({ id: makeId(), stage: 'New' })
  await pass()
  await Promise.all([postDueNews(deps), postDueNews(deps)])
  expect(slack.requests).toHaveLength(1)
  await write({ id: makeId(), stage: 'New' })
  await sql`update team_channels set due_at = now(), leased_until = now() + interval '1 minute'`
  await postDueNews(deps)
  expect(slack.requests).toHaveLength(1)
  await sql`update team_channels set leased_until = now()`
  await postDueNews(deps)
  expect(slack.requests).toHaveLength(2)
})

test('an import of many deals is one message with their number', async () => {
  await addChannel()
  await write(...Array.from({ length: 1200 }, () => ({ id: makeId(), dealname: 'Ana', stage: 'New' })))
  await pass()
  await postDueNews(deps)
  expect(posted()[0]).toHaveLength(10)
  expect(slack.requests[0]!.body).toContain('and 1,190 more deals with changes')
  await pass()
  await postDueNews(deps)
  expect(slack.requests).toHaveLength(1)
})

test('posts nothing about a deal that has moved to another partner, or of a suspended partner', async () => {
  await addChannel()
  const id = makeId()
  await write({ id, stage: 'New' })
  const other = (await insertPartner(db, crypto.randomUUID(), 'Other'))!
  await writeDeals(db, [{ record: { id }, partnerId: other.id }], { now: new Date(), events: true })
  await pass()
  await postDueNews(deps)
  await write({ id: makeId(), stage: 'New' })
  await sql`update partners set suspended_at = now() where id = ${partnerId}`
  await pass()
  await postDueNews(deps)
  expect(slack.requests).toEqual([])
})

test('an internal URL is rejected, and a channel belongs to one partner', async () => {
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

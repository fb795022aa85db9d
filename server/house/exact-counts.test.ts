import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { api } from '../api.ts'
import { threadsPerDealMax } from '../messages/policy.ts'
import {
  followedDealsMax,
  followedViewsMax,
  pushSubscriptionsMax,
  teamChannelsMax,
} from '../notifications/policy.ts'

// What is limited by count is counted exactly, however many calls are made at once.

const atOnce = 150

let system: LocalSystem
let lastId = 4_000_000n
beforeAll(async () => {
  system = await openLocalSystem({ env: { WORKER: 'off' } })
})
afterAll(() => system.close())

/** An admin of a new partner with this many deals. */
async function makeAdmin(deals = 1) {
  const ids = Array.from({ length: deals }, () => ++lastId)
  const { id: partnerId } = await system.makePartner({ deals: ids.map((id) => ({ id })) })
  const context = await signedIn(system.services, { role: 'admin', partnerId })
  return { ask: api.createCaller(context), userId: context.actor.user.id, partnerId, ids: ids.map(String) }
}

type Admin = Awaited<ReturnType<typeof makeAdmin>>

/** Makes the call this many times at once. Returns how often it succeeded. */
async function countOf(call: (index: number) => Promise<unknown>, times = atOnce): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: times }, (_, index) => call(index)))
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

const empty = { name: 'A view', query: '', isShared: false }

test.each<[string, number, (admin: Admin) => (index: number) => Promise<unknown>]>([
  [
    'uploads that a member has begun',
    20,
    ({ ask, ids }) =>
      (index) =>
        ask.messages.beginFile({ dealId: ids[index % ids.length]!, name: 'a.pdf', sizeBytes: 1 }),
  ],
  [
    'views',
    100,
    ({ ask }) =>
      (index) =>
        ask.views.save({ ...empty, name: `View ${index}` }),
  ],
  [
    'team channels',
    teamChannelsMax,
    ({ ask }) =>
      (index) =>
        ask.channels.add({
          name: `C${index}`,
          service: 'slack',
          url: 'http://127.0.0.1:9/x',
          kinds: ['stage'],
        }),
  ],
  [
    'tokens',
    99,
    ({ ask }) =>
      (index) =>
        ask.tokens.create({ name: `T${index}`, scopes: ['deals:read'], span: 'never', day: '' }),
  ],
  [
    'invitations',
    50,
    ({ ask }) =>
      () =>
        ask.team.invite({ email: `${randomUUID()}@example.com`, name: 'Ben', role: 'member' }),
  ],
])('%s: exactly %i of 150 at once', async (_what, max, callOf) => {
  const admin = await makeAdmin(30)
  expect(await countOf(callOf(admin))).toBe(max)
})

test('questions about a deal: as many as are left', async () => {
  const { ask, partnerId, ids, userId } = await makeAdmin()
  await system.db.$client`
    with thread as (
      insert into threads (deal_id, partner_id) select ${ids[0]!}::bigint, ${partnerId} from generate_series(11, ${threadsPerDealMax}) returning id)
    insert into messages (thread_id, user_id, author_name, is_installer, text)
    select id, ${userId}, 'A', false, 'x' from thread`
  // Below the limit by minute.
  expect(await countOf(() => ask.messages.ask({ dealId: ids[0]!, text: 'x', files: [] }), 28)).toBe(10)
})

test('followed deals: as many as are left', async () => {
  const { ask, userId, ids } = await makeAdmin(atOnce)
  const [first, ...others] = ids
  await system.db.$client`
    with deal as (insert into deals (id, json, flags) select 5000000 + n, '{}', 0 from generate_series(1, ${followedDealsMax - 20}) n returning id)
    insert into follows (user_id, deal_id) select ${userId}, id from deal`
  await ask.notifications.setFollow({ id: first!, isOn: true })
  expect(await countOf((index) => ask.notifications.setFollow({ id: others[index]!, isOn: true }), 149)).toBe(
    19,
  )
})

test('followed views: as many as may be', async () => {
  const { ask } = await makeAdmin()
  const views = await Promise.all(
    Array.from({ length: 40 }, (_, index) => ask.views.save({ ...empty, name: `View ${index}` })),
  )
  expect(
    await countOf(
      (index) => ask.notifications.followView({ id: views[index]!.id, filter: {} }),
      views.length,
    ),
  ).toBe(followedViewsMax)
})

test('push subscriptions: the newest replace the oldest', async () => {
  const { ask } = await makeAdmin()
  const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
  await countOf((index) => ask.push.subscribe({ endpoint: `http://127.0.0.1/push/${index}`, ...keys }))
  expect(await ask.push.list()).toHaveLength(pushSubscriptionsMax)
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { openInvitationsMax } from '#server/accounts/policy.ts'
import type { Role } from '#server/accounts/role.ts'
import { insertPartner } from '#server/accounts/store.ts'
import { api } from '#server/api.ts'
import { writeDeals } from '#server/deals/deal-writer.ts'
import { toApiError } from '#server/errors.ts'
import { directoryStorage } from '#server/files/disk-storage.ts'
import { filesPerDealMax } from '#server/files/policy.ts'
import { storagesOf } from '#server/files/storage.ts'
import { unfinishedMax } from '#server/imports/import.ts'
import { messagesPerThreadMax, savedRepliesMax, threadsPerDealMax } from '#server/messages/policy.ts'
import { parseCidrs } from '#server/net/ip-address.ts'
import {
  followedDealsMax,
  followedViewsMax,
  pushSubscriptionsMax,
  teamChannelsMax,
} from '#server/notifications/policy.ts'
import type { Services } from '#server/runtime/services.ts'
import { subscriptionsMax } from '#server/webhooks/policy.ts'
import { makeBrowser } from './push-service.ts'
import { signedIn } from './signed-in.ts'

// Limits on what a member, a partner or the staff can create, tested with many simultaneous calls.

const callCount = 150

let database: TestDatabase
let directory: string
let services: Services
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'limits-'))
  database = await createTestDatabase()
  services = {
    db: database.db,
    mailer: null,
    encryptionKey: Buffer.alloc(32, 1),
    endpointRules: { allowHttp: true, allowed: parseCidrs('127.0.0.0/8') },
    resolve: async () => ['93.184.215.14'],
    storages: storagesOf(directoryStorage({ directory: join(directory, 'files') }), null),
    config: { publicUrl: 'https://deals.example.com', dataDir: directory },
    log: { warn() {}, error() {} },
  } as unknown as Services
})
afterAll(async () => {
  await database.drop()
  await rm(directory, { recursive: true })
})

let last = 0n
let partnerId: number
beforeEach(async () => {
  partnerId = (await insertPartner(database.db, crypto.randomUUID(), 'A partner'))!.id
})

/** Returns the procedures for a new user with this role. */
async function userWith(role: Role) {
  const context = await signedIn(services, { role, partnerId })
  return { id: context.actor.user.id, ask: api.createCaller(context) }
}

async function makeDeals(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => ++last)
  const writes = ids.map((id) => ({ record: { id }, partnerId }))
  await writeDeals(database.db, writes, { now: new Date(), events: false })
  return ids.map(String)
}

/**
 * Makes all calls simultaneously. Returns the number of successful calls, and the error codes of the others.
 */
async function callAll(call: (index: number) => Promise<unknown>) {
  const calls = await Promise.allSettled(Array.from({ length: callCount }, (_, index) => call(index)))
  const refusals = calls.flatMap((each) => (each.status === 'rejected' ? [toApiError(each.reason)] : []))
  return { done: callCount - refusals.length, codes: [...new Set(refusals.map(({ code }) => code))] }
}

/** Expects exactly `max` of the calls to succeed, and the others to fail with `code`. */
async function expectExactly(max: number, call: (index: number) => Promise<unknown>, code = 'BAD_REQUEST') {
  expect(await callAll(call)).toEqual({ done: max, codes: [code] })
}

const countRows = async (query: Promise<{ count: number }[]>) => (await query)[0]!.count

const deals = (index: number) => ({
  name: `Sheet ${index}`,
  filter: {},
  sort: { field: 'lastModified', direction: 'desc' } as const,
  columns: [{ column: 'id' as const, title: 'Deal ID' }],
})

describe('of 150 concurrent calls, only as many succeed as the limit allows for', () => {
  const tokensMax = 100
  const viewsMax = 100

  test('tokens and sheet links together', async () => {
    const { ask } = await userWith('admin')
    await expectExactly(tokensMax, (index) =>
      index % 2 === 0
        ? ask.sheets.create(deals(index))
        : ask.tokens.create({ name: `T ${index}`, scopes: ['deals:read'], span: 'never', day: '' }),
    )
  })

  test('replacements of tokens whose grace period is still running', async () => {
    const { ask } = await userWith('admin')
    const { id } = await ask.sheets
      .create(deals(0))
      .then(async () => (await ask.tokens.list({ isEnded: false })).tokens[0]!)
    await database.db.$client`
      insert into tokens (partner_id, name, scopes, hash, prefix, expires_at, sheet)
      select partner_id, 'T' || n, scopes, 'h' || ${String(partnerId)} || n, prefix, now() + interval '1 year', sheet
      from tokens, generate_series(1, ${callCount - 1}) n where id = ${id}`
    const tokens = await database.db.$client<{ id: number }[]>`
      select id from tokens where partner_id = ${partnerId} order by id`
    expect(tokens).toHaveLength(callCount)
    await expectExactly(2 * tokensMax - callCount, (index) =>
      ask.tokens.rotate({ id: tokens[index]!.id, grace: '7d' }),
    )
  })

  test('open invitations', async () => {
    const { ask } = await userWith('admin')
    await expectExactly(openInvitationsMax, () =>
      ask.team.invite({ email: `${crypto.randomUUID()}@a.example`, name: 'Nia', role: 'member' }),
    )
  })

  test('views and followed views', async () => {
    const { id, ask } = await userWith('member')
    await expectExactly(viewsMax, (index) =>
      ask.views.save({ name: `View ${index}`, query: 'q=602', isShared: false }),
    )
    const views = await ask.views.list()
    const follow = (index: number) =>
      ask.notifications.followView({ id: views[index % views.length]!.id, filter: {} })
    expect((await callAll(follow)).codes).toEqual(['BAD_REQUEST'])
    const { $client: sql } = database.db
    expect(await countRows(sql`select count(*)::integer as count from follows where user_id = ${id}`)).toBe(
      followedViewsMax,
    )
  })

  test('followed deals', async () => {
    const { id, ask } = await userWith('member')
    const [room, ids] = [20, await makeDeals(callCount)]
    const before = await makeDeals(followedDealsMax - room)
    await database.db.$client`
      insert into follows (user_id, deal_id) select ${id}, unnest(${before}::bigint[])`
    await expectExactly(room, (index) => ask.notifications.setFollow({ ids: [ids[index]!], isOn: true }))
  }, 60_000)

  test('event subscriptions', async () => {
    const { ask } = await userWith('admin')
    await expectExactly(subscriptionsMax, (index) =>
      ask.subscriptions.create({ url: `https://a.example/${index}`, events: ['deal.created'] } as never),
    )
  })

  test('team channels', async () => {
    const { ask } = await userWith('admin')
    await expectExactly(teamChannelsMax, (index) =>
      ask.channels.add({
        name: `Channel ${index}`,
        service: 'slack',
        url: `https://a.example/${index}`,
        kinds: ['stage'],
      }),
    )
  })

  test('browsers with push notifications, keeping the newest', async () => {
    const { id, ask } = await userWith('member')
    const { done } = await callAll((index) =>
      ask.push.subscribe({
        endpoint: `https://push.example/${crypto.randomUUID()}/${index}`,
        ...makeBrowser().keys,
      }),
    )
    expect(done).toBe(callCount)
    const { $client: sql } = database.db
    expect(
      await countRows(sql`select count(*)::integer as count from push_subscriptions where user_id = ${id}`),
    ).toBe(pushSubscriptionsMax)
  })

  test('questions about a deal and messages in a question', async () => {
    const [{ ask }, [dealId]] = [await userWith('operator'), await makeDeals(1)]
    await expectExactly(threadsPerDealMax, (index) =>
      ask.messages.ask({ dealId: dealId!, text: `Question ${index}`, files: [] }),
    )
    const [thread] = (await ask.messages.threads({ dealId: dealId! })).threads
    const { $client: sql } = database.db
    await sql`update spending set amount = 0`
    await sql`
      insert into messages (thread_id, author_name, is_installer, text)
      select ${thread!.id}, 'A', false, 'x' from generate_series(1, ${messagesPerThreadMax - 1 - 20})`
    await expectExactly(20, (index) =>
      ask.messages.answer({ id: thread!.id, text: `Answer ${index}`, files: [] }),
    )
  })

  test('unfinished uploads of a member and files of a deal', async () => {
    const [{ ask }, operator, ids] = [
      await userWith('member'),
      await userWith('operator'),
      await makeDeals(callCount),
    ]
    const file = { name: 'plan.pdf', sizeBytes: 1000 }
    await expectExactly(
      20,
      (index) => ask.messages.beginFile({ ...file, dealId: ids[index]! }),
      'TOO_MANY_REQUESTS',
    )
    const [dealId] = await makeDeals(1)
    const { $client: sql } = database.db
    await sql`
      insert into files (id, deal_id, name, type, size_bytes)
      select 'f' || ${String(partnerId)} || n, ${dealId!}::bigint, 'a.pdf', 'application/pdf', 1
      from generate_series(1, ${filesPerDealMax - 20}) n`
    await expectExactly(20, () => operator.ask.files.begin({ ...file, dealId: dealId!, kind: 'other' }))
  })

  test("saved replies of the installer's staff", async () => {
    const { ask } = await userWith('operator')
    await expectExactly(savedRepliesMax, (index) =>
      ask.messages.saveReply({ id: null, title: `Reply ${index}`, text: 'Soon.' }),
    )
  })

  test('unfinished imports of an operator', async () => {
    const { ask } = await userWith('operator')
    const file = { fileName: 'deals.csv', sizeBytes: 1000, partner: null, events: false }
    await expectExactly(unfinishedMax, () => ask.imports.begin(file))
  })
})

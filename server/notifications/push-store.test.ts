import { createPublicKey, verify } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { closeAfterEach, encryptionKey, openQueue } from '#e2e/dispatchers.ts'
import { type PushService, type Pushed, makeBrowser, startPushService } from '#e2e/push-service.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { endAccess } from '../accounts/access-store.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { parseCidrs } from '../net/ip-address.ts'
import type { Services } from '../runtime/services.ts'
import { utc } from '../values/zone.ts'
import { makeSafeFetch } from '../webhooks/safe-fetch.ts'
import type { Content } from './notification.ts'
import { notifyOfEvents, sendMessage } from './notifier.ts'
import { makePushChannel } from './push-channel.ts'
import { readVapidKeys } from './push-store.ts'
import { pushRouter } from './router.ts'

const { keep } = closeAfterEach()
const { db, url: databaseUrl } = await openQueue()
const { $client: sql } = db
const publicUrl = 'https://deals.example.com'

/** Checks the signature of a request with the key of the browser's subscription (RFC 8292). */
function expectSignedBy(publicKey: string, { headers }: Pushed, audience: string) {
  const [, token, key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers['authorization'] as string)!
  expect(key).toBe(publicKey)
  const [head, claims, signature] = token!.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const isValid = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature!, 'base64url'),
  )
  expect(isValid).toBe(true)
  expect(JSON.parse(Buffer.from(claims!, 'base64url').toString())).toMatchObject({
    aud: audience,
    sub: publicUrl,
  })
}

let service: PushService
let services: Services
let partnerId: number
beforeEach(async () => {
  service = keep(await startPushService())
  const endpointRules = { allowHttp: true, allowed: parseCidrs('127.0.0.0/8') }
  const resolve = async () => ['127.0.0.1']
  services = {
    db,
    encryptionKey,
    endpointRules,
    resolve,
    webhooks: { safeFetch: keep(makeSafeFetch(endpointRules, resolve)) },
  } as unknown as Services
  partnerId = (await insertPartner(db, crypto.randomUUID(), 'A partner'))!.id
})

const channel = () =>
  makePushChannel({ db, safeFetch: services.webhooks.safeFetch, encryptionKey, publicUrl })

async function subscribe() {
  const context = await signedIn(services, { role: 'admin', partnerId })
  const caller = pushRouter.createCaller(context)
  const browser = makeBrowser()
  const endpoint = `${service.url}/push/${crypto.randomUUID()}`
  await caller.subscribe({ endpoint, ...browser.keys })
  const [{ id }] = await sql<[{ id: number }]>`select id from push_subscriptions where endpoint = ${endpoint}`
  const user = { id: context.actor!.user!.id, email: 'ana@a.example', zone: utc }
  const content: Content = {
    id: 1,
    user,
    targetId: id,
    deals: [
      {
        id: '42',
        name: 'Lopez, Ana',
        news: [
          { kind: 'stage', changes: { from: 'New', to: 'Permit Submitted', isNew: false } },
          { kind: 'files', changes: { id: 'f', name: 'Lopez passport.pdf' } },
          {
            kind: 'messages',
            changes: { threadId: 1, author: 'Ben', text: 'gate code 4711', isMention: false },
          },
        ],
      },
    ],
  }
  return { caller, browser, endpoint, content, sessionHash: context.actor!.user!.sessionHash }
}

test('a push message is encrypted for the browser and signed, and contains no user-entered text', async () => {
  const { caller, browser, content } = await subscribe()
  expect(await channel().send(content)).toBeNull()
  const [pushed] = service.pushed as [Pushed]
  expect(pushed.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '259200' })
  const { publicKey } = await caller.key()
  expectSignedBy(publicKey, pushed, service.url)
  expect(browser.decrypt(pushed.body)).toEqual({
    title: 'Lopez, Ana',
    body: 'Stage moved to Permit Submitted\nFile added\nBen answered',
    url: '/deals/42',
    tag: 'deal-42',
  })
})

test('notifies a follower of a change in each subscribed browser, once', async () => {
  const { browser, content } = await subscribe()
  const { id: userId } = content.user
  const id = 4711n
  const write = (stage: string) =>
    writeDeals(db, [{ record: { id, dealname: 'Ortiz, Luz', stage }, partnerId: partnerId as never }], {
      now: new Date(),
      events: true,
    })
  const fanOut = () =>
    runDueJobs(db, { 'notify-of-events': (job) => notifyOfEvents(db, job.partnerId as never) })
  await write('New')
  await fanOut()
  await sql`insert into follows (user_id, deal_id) values (${userId}, ${String(id)})`
  await sql`insert into notification_settings (user_id, at_night) values (${userId}, true)`
  await write('Permit Submitted')
  const notifier = { db, channels: { push: channel() } }
  for (let round = 0; round < 2; round++) {
    await fanOut()
    await runDueJobs(db, {
      'notification-push': ({ deliveryId }) => sendMessage(notifier, 'push', deliveryId),
    })
  }
  expect(service.pushed.map(({ body }) => browser.decrypt(body))).toEqual([
    {
      title: 'Ortiz, Luz',
      body: 'Stage moved to Permit Submitted',
      url: `/deals/${id}`,
      tag: `deal-${id}`,
    },
  ])
})

test('without names enabled, the lock screen shows nothing about a homeowner', async () => {
  const { caller, browser, content } = await subscribe()
  await caller.setNames({ isOn: false })
  expect(await caller.names()).toEqual({ isOn: false })
  const both = [content.deals[0], { ...content.deals[0], id: '43' }] as const
  await channel().send(content)
  await channel().send({ ...content, deals: [...both] })
  const shown = service.pushed.map(({ body }) => browser.decrypt(body))
  expect(shown).toMatchObject([
    { title: 'Deal 42' },
    { title: '6 updates in 2 deals', body: 'Deal 42\nDeal 43' },
  ])
  expect(JSON.stringify(shown)).not.toContain('Lopez')
})

test.each([
  [401, true, true],
  [403, true, true],
  [404, true, true],
  [410, true, true],
  [413, true, true],
  [400, true, false],
  [429, false, false],
  [503, false, false],
])(
  'after status %i, retrying is pointless: %s, and the subscription ends: %s',
  async (status, isPermanent, isEnded) => {
    const { caller, endpoint, content } = await subscribe()
    service.status = status
    const problem = `HTTP ${status}`
    expect(await channel().send(content)).toEqual({ problem, isPermanent, isRecipientGone: isEnded })
    expect(await caller.status({ endpoint })).toEqual({
      isOn: !isEnded,
      endedBecause: isEnded ? problem : null,
    })
  },
)

test('a subscription ends after a day without a successful message', async () => {
  const { caller, endpoint, content } = await subscribe()
  const aDayLater = () => sql`update push_subscriptions set failed_at = failed_at - interval '25 hours'`
  service.status = 503
  expect(await channel().send(content)).toMatchObject({ isRecipientGone: false })
  await aDayLater()
  service.status = 201
  expect(await channel().send(content)).toBeNull()
  service.status = 503
  expect(await channel().send(content)).toMatchObject({ isRecipientGone: false })
  await aDayLater()
  expect(await channel().send(content)).toMatchObject({ isRecipientGone: true })
  expect(await caller.status({ endpoint })).toEqual({ isOn: false, endedBecause: 'HTTP 503' })
})

test("signing out ends the device's subscription; an expired session does not", async () => {
  const [left, expired] = [await subscribe(), await subscribe()]
  await endAccess(db, { sessionHash: left.sessionHash })
  expect(await channel().send(left.content)).toMatchObject({ isRecipientGone: true })
  await sql`delete from sessions where hash = ${expired.sessionHash}`
  expect(await channel().send(expired.content)).toBeNull()
})

test('users can subscribe only public URLs, and end only their own subscriptions', async () => {
  const { caller, endpoint } = await subscribe()
  const { keys } = makeBrowser()
  for (const inside of ['http://10.0.0.1/x', 'ftp://a.example/x', 'https://192.168.1.1/'])
    await expect(caller.subscribe({ endpoint: inside, ...keys })).rejects.toThrow('The URL cannot be used')
  const other = await subscribe()
  await other.caller.unsubscribe({ endpoint })
  expect(await caller.status({ endpoint })).toEqual({ isOn: true, endedBecause: null })
  await caller.unsubscribe({ endpoint })
  expect(await caller.status({ endpoint })).toEqual({ isOn: false, endedBecause: null })
})

test('the response to a subscription does not reveal whether its hostname exists', async () => {
  const { caller, browser } = await subscribe()
  for (const name of ['database.corp.example', 'no-such-name.example', 'localtest.me'])
    expect(await caller.subscribe({ endpoint: `https://${name}/push/1`, ...browser.keys })).toBeUndefined()
})

test("the account page lists subscribed browsers with their state, and removes only the user's own", async () => {
  const { caller, endpoint } = await subscribe()
  const other = await subscribe()
  const agent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
  await sql`
    insert into push_subscriptions (user_id, endpoint, p256dh, auth, user_agent, failed_at, ended_at)
    select user_id, endpoint || state, p256dh, auth, ${agent}, now(), case state when 'ended' then now() end
    from push_subscriptions, unnest(array['failing', 'ended']) as state where endpoint = ${endpoint}`
  const listed = await caller.list()
  expect(listed.map(({ isThis, state }) => [isThis, state])).toEqual([
    [false, 'ended'],
    [false, 'failing'],
    [true, 'on'],
  ])
  expect(listed[0]).toMatchObject({ browser: expect.stringContaining('Chrome'), createdAt: expect.any(Date) })
  const [theirs] = await other.caller.list()
  await caller.remove({ id: theirs!.id })
  expect(await other.caller.list()).toHaveLength(1)
  await caller.remove({ id: listed[1]!.id })
  expect((await caller.list()).map(({ state }) => state)).toEqual(['ended', 'on'])
})

test('processes that generate the keys concurrently share them, stored encrypted', async () => {
  await sql`delete from push_keys`
  const pools = Array.from({ length: 4 }, () => openDatabase(databaseUrl, 1))
  const keys = await Promise.all(pools.map((pool) => readVapidKeys(pool, encryptionKey)))
  await Promise.all(pools.map((pool) => pool.$client.end()))
  expect(new Set(keys.map(({ publicKey }) => publicKey)).size).toBe(1)
  const [{ row }] = await sql<[{ row: string }]>`select push_keys::text as row from push_keys`
  expect(row).toContain(keys[0]!.publicKey)
  expect(row).not.toContain(keys[0]!.privateKey)
})

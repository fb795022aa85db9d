import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { PartnerId } from '#server/accounts/partner.ts'
import { makeMailChannel } from '#server/notifications/mail-channel.ts'
import type { News } from '#server/notifications/notification.ts'
import { followDeals, readMailChoice, saveSettings } from '#server/notifications/store.ts'
import { utc } from '#server/values/zone.ts'
import { type LocalSystem, openLocalSystem } from './local-system.ts'
import { signedInUser } from './portal-user.ts'
import { bringIn, newDeals } from './rest/deals.ts'
import { openStream } from './streams.ts'

// From a change of a deal to its followers' pages and mailboxes.

let system: LocalSystem
beforeAll(async () => {
  system = await openLocalSystem({ worker: true })
})
afterAll(() => system.close())

async function follower(partnerId: number, dealId: bigint) {
  const cookie = await signedInUser(system, 'member', partnerId)
  const [user] = await system.db.$client<{ id: number; email: string }[]>`
    select id, email from users where partner_id = ${partnerId} order by id desc limit 1`
  await system.db.transaction(async (tx) => {
    await followDeals(tx, partnerId as PartnerId, user!.id, [dealId], true)
    await saveSettings(tx, user!.id, {
      stage: true,
      dates: true,
      late: true,
      items: true,
      files: true,
      messages: true,
      schedule: 'at-once',
      hour: 7,
      // Allow notifications at night, because tests may run at any time.
      atNight: true,
      byMail: true,
    })
  })
  return { cookie, ...user! }
}

test('a follower is notified on open pages and by mail within ten seconds, and unsubscribes by the link in the mail', async () => {
  const acme = await system.makePartner()
  const [deal] = newDeals(1)
  await bringIn(system, acme, [deal!])
  const ana = await follower(acme.id, deal!.id)
  const ben = await signedInUser(system, 'member', acme.id)
  const streams = [await openStream(system, ana.cookie), await openStream(system, ben)]
  await vi.waitFor(() => expect(streams.map(({ events }) => events)).toEqual([['ready'], ['ready']]))
  await bringIn(system, acme, [{ ...deal!, stage: 'Permit Submitted' }])
  await vi.waitFor(() => expect(system.mails).toHaveLength(1), { timeout: 10_000, interval: 50 })
  await vi.waitFor(
    () => expect(streams[0]!.messages.flatMap(({ notifications = [] }) => notifications)).toEqual([ana.id]),
    { timeout: 10_000, interval: 50 },
  )
  expect(streams[1]!.messages.flatMap(({ notifications = [] }) => notifications)).toEqual([])
  for (const stream of streams) stream.close()

  const { to, mail } = system.mails[0]!
  expect(to).toBe(ana.email)
  expect(mail.subject).toBe(`${deal!.dealname}: stage moved to Permit Submitted`)
  const publicUrl = system.services.config.publicUrl
  for (const part of [mail.text, mail.html]) expect(part).toContain(`${publicUrl}/deals/${deal!.id}`)
  const [, link] = /^<(.*)>$/.exec(mail.headers!['List-Unsubscribe']!)!
  const path = link!.slice(publicUrl.length)
  const post = (to: string) =>
    fetch(system.url + to, { method: 'POST', body: 'List-Unsubscribe=One-Click', redirect: 'manual' })
  const choice = () => readMailChoice(system.db, ana.id)
  expect((await post(`${path.slice(0, -1)}-`)).status).toBe(404)
  expect((await choice())!.byMail).toBe(true)
  const answer = await post(path)
  expect([answer.status, (await choice())!.byMail]).toEqual([200, false])
  const ofPage = await post(`${path}?page`)
  expect([ofPage.status, ofPage.headers.get('location')]).toEqual([303, path])
}, 30_000)

test('a mail has List and thread headers, and its text is escaped', async () => {
  const sent: Parameters<Parameters<typeof makeMailChannel>[0]['sendNow']>[1][] = []
  const channel = makeMailChannel({
    sendNow: async (_to, mail) => (sent.push(mail), null),
    publicUrl: 'https://deals.example.com',
    encryptionKey: Buffer.alloc(32),
  })
  const user = { id: 3, email: 'ana@sunline.example', zone: utc }
  const moved: News = { kind: 'stage', changes: { from: null, to: '<b>CAD</b>', isNew: false } }
  const scheduled: News = {
    kind: 'dates',
    changes: {
      changed: [
        { field: 'installedScheduled', from: '2026-11-30T00:00:00.000Z', to: '2026-12-02T00:00:00.000Z' },
        { field: 'permitReceived', from: '2026-11-30T00:00:00.000Z', to: null },
      ],
    },
  }
  const answered: News = {
    kind: 'messages',
    changes: { threadId: 7, author: 'Maria', text: 'Done.', isMention: true },
  }
  const ana = { id: '42', name: 'Lopez, Ana', news: [moved, scheduled] }
  await channel.send({ id: 1, targetId: 0, user, deals: [ana] })
  await channel.send({ id: 2, targetId: 0, user, deals: [{ ...ana, news: [answered] }] })
  await channel.send({ id: 5, targetId: 0, user, deals: [ana, { id: '43', name: '', news: [moved] }] })
  const [first, second, collected] = sent
  expect(first).toMatchObject({
    subject: 'Lopez, Ana: stage moved to <b>CAD</b>, and 2 more',
    messageId: '<notification-1@deals.example.com>',
    references: '<deal-42.user-3@deals.example.com>',
    inReplyTo: '<deal-42.user-3@deals.example.com>',
    headers: {
      'List-Id': 'Partner Deals notifications <notifications.deals.example.com>',
      'List-Unsubscribe': expect.stringMatching(
        /^<https:\/\/deals\.example\.com\/unsubscribe\/3\.[\w-]{43}>$/,
      ),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  })
  expect(first!.text).toContain(
    'Lopez, Ana\n- Stage moved to <b>CAD</b>\n- Install scheduled: Dec 2, 2026 (was Nov 30, 2026)\n' +
      '- Permit received: removed (was Nov 30, 2026)\nhttps://deals.example.com/deals/42\n',
  )
  expect(first!.html).toContain('<li>Stage moved to &lt;b&gt;CAD&lt;/b&gt;</li>')
  expect(second).toMatchObject({ subject: 'Lopez, Ana: Maria mentioned you: Done.' })
  expect(second!.text).toContain('https://deals.example.com/deals/42?thread=7#answer')
  expect(collected).toMatchObject({ subject: '4 updates in 2 deals' })
  expect(collected!.references).toBeUndefined()
  expect(collected!.text).toContain('Deal 43')
})

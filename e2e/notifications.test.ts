import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { PartnerId } from '#server/accounts/partner.ts'
import { followDeals, readMailChoice } from '#server/notifications/store.ts'
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
  await system.db.transaction((tx) => followDeals(tx, partnerId as PartnerId, user!.id, [dealId], true))
  // Allow notifications at night, because tests may run at any time.
  await system.db.$client`insert into notification_settings (user_id, at_night) values (${user!.id}, true)`
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

import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test, afterAll, beforeAll } from 'vitest'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import type { TestPartner } from '#e2e/partners.ts'
import { type StoreStandIn, startStore } from '#e2e/s3/stand-in.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { endAccess } from '../accounts/access-store.ts'
import { api } from '../api.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { unavailable } from '../errors.ts'
import { suspendPartner } from '../partners/actions.ts'
import { asCommand } from '../runtime/command.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { readInTurns, readRange } from './download.ts'

// Whether a file URL grants access is decided when the URL is used.

let store: StoreStandIn
let onDisk: LocalSystem
let inStore: LocalSystem
beforeAll(async () => {
  store = await startStore()
  ;[onDisk, inStore] = await Promise.all([openLocalSystem(), openLocalSystem({ env: store.env })])
})
afterAll(async () => {
  await Promise.all([onDisk.close(), inStore.close()])
  await store.close()
})

let last = 8_000_000

/**
 * Creates a deal with a file and with an attachment to a message, a signed-in member of the deal's partner,
 * and tokens.
 */
async function makeWorld(system: LocalSystem) {
  const dealId = String(++last)
  const partner = await system.makePartner({ deals: [{ id: BigInt(dealId) }] })
  const member = await signedIn(system.services, { role: 'member', partnerId: partner.id })
  const asMember = api.createCaller(member)
  const { id: attached } = await asMember.messages.beginFile({ dealId, name: 'roof.png', sizeBytes: 4 })
  await asMember.messages.appendFile({ id: attached, offset: 0, bytes: Buffer.from('roof') })
  await asMember.messages.ask({ dealId, text: 'Is this enough?', files: [attached] })
  const operator = api.createCaller(await signedIn(system.services, { role: 'operator', partnerId: null }))
  const { id: ofDeal } = await operator.files.begin({ dealId, name: 'plan.png', kind: 'other', sizeBytes: 4 })
  await operator.files.append({ id: ofDeal, offset: 0, bytes: Buffer.from('plan') })
  await operator.files.finish({ id: ofDeal })
  const { token: internal } = await issueToken(system.db, { partnerId: null, name: 'I', expiresAt: null })
  return { system, dealId, partner, member, asMember, attached, ofDeal, internal }
}

type World = Awaited<ReturnType<typeof makeWorld>>

/** Returns the file URL that the API returns for a token. */
async function urlBy({ system }: World, token: string, id: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const { url } = (await (await fetch(`${system.url}/api/files/${id}`, { headers })).json()) as {
    url: string
  }
  return url.replace(/^http:\/\/localhost:\d+(?=\/files\/)/, system.url)
}

/**
 * Opens a URL and returns the response's status. Sends the member's session cookie if the URL points to the
 * portal.
 */
async function open({ system, member: { cookie } }: World, url: string): Promise<number> {
  const response = await fetch(new URL(url, system.url), url.startsWith('/') ? { headers: { cookie } } : {})
  await response.arrayBuffer()
  return response.status
}

/** Returns all URLs that the partner can get for the two files. */
async function urlsOf(world: World) {
  const { asMember, partner, attached, ofDeal, dealId } = world
  const [file] = await asMember.files.list({ dealId })
  return {
    attachedByToken: await urlBy(world, partner.token, attached),
    attachedByBrowser: (await asMember.files.download({ id: attached })).url,
    fileByToken: await urlBy(world, partner.token, ofDeal),
    fileByBrowser: (await asMember.files.download({ id: ofDeal })).url,
    shown: file!.view!.url,
  }
}

const move = ({ system, dealId }: World, { id: partnerId }: TestPartner) =>
  writeDeals(system.db, [{ record: { id: BigInt(dealId) }, partnerId }], { now: new Date(), events: true })

const statusesOf = async (world: World, urls: Record<string, string>) =>
  Object.fromEntries(
    await Promise.all(Object.entries(urls).map(async ([name, url]) => [name, await open(world, url)])),
  )

const all = (status: number) => ({
  attachedByToken: status,
  attachedByBrowser: status,
  fileByToken: status,
  fileByBrowser: status,
  shown: status,
})

test.each([
  ['its deal moves to another partner', async (world: World) => move(world, await onDisk.makePartner())],
  [
    'the partner is suspended',
    ({ system, partner: { id, slug } }: World) => suspendPartner(asCommand(system), id, slug),
  ],
])('no URL of a file works after %s', async (_what, end) => {
  const world = await makeWorld(onDisk)
  const urls = await urlsOf(world)
  expect(await statusesOf(world, urls)).toEqual(all(200))
  await end(world)
  expect(await statusesOf(world, urls)).toEqual(all(403))
})

test('a URL from the portal works only in the browser that received it, until sign-out', async () => {
  const world = await makeWorld(onDisk)
  const { attachedByBrowser, fileByBrowser, shown, ...byToken } = await urlsOf(world)
  const ofPortal = [attachedByBrowser, fileByBrowser, shown]
  const colleague = await signedIn(onDisk.services, { role: 'member', partnerId: world.partner.id })
  for (const url of ofPortal) {
    expect((await fetch(onDisk.url + url)).status).toBe(403)
    expect((await fetch(onDisk.url + url, { headers: { cookie: colleague.cookie } })).status).toBe(403)
    expect(await open(world, url)).toBe(200)
  }
  const { sessionHash } = world.member.actor.user
  await onDisk.db.transaction((tx) => endAccess(tx, { sessionHash }))
  for (const url of ofPortal) expect(await open(world, url)).toBe(403)
  for (const url of Object.values(byToken)) expect(await open(world, url)).toBe(200)
})

test('an attached file never gets a URL of the object store, which would survive a move', async () => {
  const world = await makeWorld(inStore)
  const { attachedByToken, attachedByBrowser, fileByToken } = await urlsOf(world)
  expect([attachedByToken, attachedByBrowser, fileByToken].map((url) => url.startsWith(store.url))).toEqual([
    false,
    false,
    true,
  ])
  expect([await open(world, attachedByToken), await open(world, attachedByBrowser)]).toEqual([200, 200])
  const next = await inStore.makePartner()
  await move(world, next)
  expect([await open(world, attachedByToken), await open(world, attachedByBrowser)]).toEqual([403, 403])
  // The new partner cannot see the attachment either.
  const headers = { authorization: `Bearer ${next.token}` }
  expect((await fetch(`${inStore.url}/api/files/${world.attached}`, { headers })).status).toBe(404)
})

test('URLs for the staff keep working, and a removed file is a 404', async () => {
  const world = await makeWorld(onDisk)
  const urls = await Promise.all([world.attached, world.ofDeal].map((id) => urlBy(world, world.internal, id)))
  await move(world, await onDisk.makePartner())
  for (const url of urls) expect(await open(world, url)).toBe(200)
  await onDisk.db.$client`delete from files where id = ${world.ofDeal}`
  expect(await open(world, urls[1]!)).toBe(404)
})

test("addresses in one IPv6 network share a client's download limit", async () => {
  const world = await makeWorld(onDisk)
  const { system, partner } = world
  const url = await urlBy(world, partner.token, world.ofDeal)
  const { downloads } = system.services.admission
  const caller = { kind: 'anonymous', group: `partner ${partner.id}`, member: '2001:db8:0:1' } as const
  const releases = Array.from({ length: downloads.limits.perMember }, () =>
    downloads.take(caller, { ofMember: unavailable, ofAll: unavailable }),
  )
  const statusFrom = async (address: string) =>
    (await fetch(url, { headers: { 'x-forwarded-for': address } })).status
  expect(await statusFrom('2001:db8:0:1:2:3:4:5')).toBe(429)
  expect(await statusFrom('2001:db8:0:2:2:3:4:5')).toBe(200)
  for (const release of releases) release()
})

test.each([
  [undefined, 10, undefined],
  ['', 10, undefined],
  ['bytes=-', 10, undefined],
  ['items=0-1', 10, undefined],
  ['bytes=0-1,4-5', 10, undefined],
  ['bytes=5-4', 10, undefined],
  ['bytes=0-', 10, { start: 0, end: 9 }],
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=3-99', 10, { start: 3, end: 9 }],
  ['bytes=9-', 10, { start: 9, end: 9 }],
  ['bytes=10-', 10, null],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-99', 10, { start: 0, end: 9 }],
  ['bytes=-0', 10, null],
  ['bytes=0-', 0, undefined],
  ['bytes=0-1023', 0, undefined],
  ['bytes=5-', 0, undefined],
  ['bytes=-1', 0, undefined],
  ['bytes=-0', 0, undefined],
])('parses the range %s of %i bytes as %j', (header, sizeBytes, range) =>
  expect(readRange(header, sizeBytes)).toEqual(range),
)

test('many streams are read a few parts at a time in turn, each to its end', async () => {
  let read = 0
  const streams = Array.from({ length: 40 }, () => {
    let left = 3
    const stream = new Readable({
      read() {
        read++
        this.push(left-- > 0 ? 'part' : null)
      },
    })
    readInTurns(stream)
    return stream
  })
  const texts = streams.map(async (stream) => (await stream.toArray()).join(' '))
  const left = new Readable({ read: () => expect.fail('the client had left') })
  readInTurns(left)
  left.resume().destroy()
  let before = 0
  for (let turn = 0; turn < 40; turn++) {
    await setImmediate()
    expect(read - before).toBeLessThanOrEqual(4)
    before = read
  }
  expect(before).toBeGreaterThan(20)
  expect(await Promise.all(texts)).toEqual(streams.map(() => 'part part part'))
})

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { encryptionKeyFrom } from '#server/values/encryption.ts'
import { readSecrets } from '#server/webhooks/secret-store.ts'
import {
  type Receiver,
  acceptedSequences,
  outOfOrder,
  repeated,
  startReceiver,
  verified,
} from './receiver.ts'
import { ask } from './rest/client.ts'
import { bringIn, newDeals, newIds } from './rest/deals.ts'
import { type RunningSystem, type TestPartner, startSystem } from './system.ts'

// From an operator's import to a request at a partner's system.

let system: RunningSystem
const receivers: Receiver[] = []
test.beforeAll(async () => {
  system = await startSystem()
})
test.afterAll(() => system.dispose())
test.afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.close())))

async function receive(): Promise<Receiver> {
  const receiver = await startReceiver()
  receivers.push(receiver)
  return receiver
}

/** Creates a partner that receives events. Returns the partner and its signing secret. */
async function makeListener(
  { url }: Receiver,
  addresses = { createURL: `${url}/created?from=us`, updateURL: `${url}/updated` },
): Promise<{ partner: TestPartner; secret: string }> {
  const partner = await system.makePartner()
  expect((await ask(system, 'POST /api/webhook', { token: partner.token, json: addresses })).json).toEqual(
    addresses,
  )
  const key = encryptionKeyFrom(await readFile(join(system.dataDir, 'encryption-key'), 'utf8'))
  return { partner, secret: (await readSecrets(system.db, partner.id, key))[0]!.secret }
}

async function importDeals(partner: TestPartner, lines: string[], ...words: string[]): Promise<void> {
  expect(
    await system.operator(['import', '-', '--partner', partner.slug, ...words], lines.join('\n')),
  ).toMatchObject({ code: 0, stderr: '' })
}

/** The same URL for both kinds, so that all events of a deal arrive in one sequence. */
const oneEndpoint = ({ url }: Receiver) => ({ createURL: url, updateURL: url })

/** Waits for this many requests, up to the maximum latency of an event after its import. */
const arrived = (receiver: Receiver, count: number) =>
  expect.poll(() => receiver.requests.length, { intervals: [5], timeout: 2000 }).toBe(count)

test('an imported change arrives within 2 seconds, signed and identical to GET /api/events and GET /api/deals', async () => {
  const receiver = await receive()
  const { partner, secret } = await makeListener(receiver)
  const [id] = newIds(1)
  const dealText = async () => (await ask(system, `GET /api/deals/${id}`, { token: partner.token })).text
  await importDeals(partner, [
    `{"id":${id},"stage":"Sold","dealname":"Zoë 🌞 \\u2028 <b>","owner":{"id":9007199254740993,"email":"m@example.com"}}`,
  ])
  await arrived(receiver, 1)
  const created = await dealText()
  await importDeals(partner, [`{"id":${id},"stage":"Permit","amount":25000.5}`])
  await arrived(receiver, 2)
  const updated = await dealText()
  const [first, second] = receiver.requests
  expect([first!.path, second!.path]).toEqual(['/created?from=us', '/updated'])
  expect((await ask(system, 'GET /api/events', { token: partner.token })).text).toBe(
    `{"events":[${first!.body},${second!.body}],"last":2,"next":2}`,
  )
  expect(first!.body).toContain(`"dealId":"${id}","data":${created},"changes":[]}`)
  expect(second!.body).toContain(`"dealId":"${id}","data":${updated},"changes":[`)
  for (const request of receiver.requests) {
    expect(verified(secret, request)).toMatchObject({ data: { id: Number(id) } })
    expect(Object.keys(request.headers).filter((name) => /authorization|cookie|trace/.test(name))).toEqual([])
  }
  const deliveries = await system.db.$client`
    select kind, state, attempt_count::int as attempts from deliveries where partner_id = ${partner.id} order by id`
  expect(deliveries).toEqual([
    { kind: 'create', state: 'delivered', attempts: 1 },
    { kind: 'update', state: 'delivered', attempts: 1 },
  ])
})

// These tests must be last, because they stop the system.
test('after a restart midway, each event is sent exactly once', async () => {
  test.setTimeout(240_000)
  const receiver = await receive()
  const { partner } = await makeListener(receiver, oneEndpoint(receiver))
  const deals = newDeals(300)
  const again = (stage: string) => deals.map(({ id }) => ({ id, stage }))
  receiver.answer = () => new Promise((resolve) => setTimeout(resolve, 10, 200))
  const reaches = (count: number) =>
    expect.poll(() => receiver.ids.size, { intervals: [5], timeout: 30_000 }).toBeGreaterThanOrEqual(count)
  for (const records of [deals, again('a'), again('b'), again('c')]) await bringIn(system, partner, records)
  await reaches(150)
  expect(await system.stop()).toBe(0)
  expect(receiver.ids.size).toBeLessThan(1200)

  system = await startSystem({ dataDir: system.dataDir })
  await reaches(1200)
  await expect
    .poll(
      () =>
        system.db
          .$client`select state, count(*)::int from deliveries where partner_id = ${partner.id} group by 1`,
      { intervals: [20], timeout: 20_000 },
    )
    .toEqual([{ state: 'delivered', count: 1200 }])
  expect(repeated(receiver)).toEqual([])
  expect(acceptedSequences(receiver)).toEqual(Array.from({ length: 1200 }, (_, at) => at + 1))
  expect(outOfOrder(receiver)).toEqual([])
  const { events } = (await ask(system, 'GET /api/events?limit=100&after=1100', { token: partner.token }))
    .json
  expect(events.at(-1).sequence).toBe(1200)
})

test('a wrong ENCRYPTION_KEY prevents the start; with the right key, the same secrets sign again', async () => {
  const receiver = await receive()
  const { partner, secret } = await makeListener(receiver)
  expect(await system.stop()).toBe(0)
  const { dataDir } = system
  await expect(
    startSystem({ dataDir, env: { ENCRYPTION_KEY: 'another key than that in the data directory' } }),
  ).rejects.toThrow(
    'The program ended with 1:\nInvalid configuration:\nENCRYPTION_KEY: does not fit this installation',
  )
  await expect(system.startWorker({ ENCRYPTION_KEY: 'x'.repeat(32) })).rejects.toThrow(
    'The program ended with 1:\nInvalid configuration:\nENCRYPTION_KEY: ',
  )
  expect(
    await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(
      () => 'no database is left running',
    ),
  ).toBe('no database is left running')

  const encryptionKey = await readFile(join(dataDir, 'encryption-key'), 'utf8')
  system = await startSystem({ dataDir, env: { ENCRYPTION_KEY: encryptionKey } })
  await bringIn(system, partner, newDeals(1))
  await arrived(receiver, 1)
  expect(verified(secret, receiver.requests[0]!)).toMatchObject({ type: 'deal.created', sequence: 1 })
})

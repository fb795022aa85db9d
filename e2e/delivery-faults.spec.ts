import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@playwright/test'
import { type Receiver, acceptedSequences, outOfOrder, repeated, startReceiver } from './receiver.ts'
import { ask } from './rest/client.ts'
import { bringIn, newDeals } from './rest/deals.ts'
import {
  type RunningSystem,
  type RunningProgram,
  type TestPartner,
  embeddedUrl,
  startSystem,
} from './system.ts'

// Workers that are killed, paused or cut off from the database: no event is lost, and only attempts in
// progress are repeated.

/** Maximum number of concurrent requests of a worker to one URL. */
const laneWidth = 16

let web: RunningSystem
const receivers: Receiver[] = []
const workers: RunningProgram[] = []
test.beforeAll(async () => {
  web = await startSystem({ env: { WORKER: 'off' } })
})
test.afterAll(() => web.dispose())
test.afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop('SIGKILL')))
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()))
})

async function startWorker(env?: Record<string, string>): Promise<RunningProgram> {
  const worker = await web.startWorker(env)
  workers.push(worker)
  return worker
}

/** Creates a partner that gets all its events at one URL of its own receiver. */
async function makeListener(system = web): Promise<{ receiver: Receiver; partner: TestPartner }> {
  const receiver = await startReceiver()
  receivers.push(receiver)
  const partner = await system.makePartner()
  const setEndpoints = () =>
    ask(system, 'POST /api/webhook', {
      token: partner.token,
      json: { createURL: receiver.url, updateURL: receiver.url },
    })
  // On a busy machine, a newly started system may respond with 503, so try again.
  await expect.poll(async () => (await setEndpoints()).status).toBe(200)
  return { receiver, partner }
}

/** Creates 1,000 events: 250 deals, each created once and then changed three times. */
async function bringIn1000(system: RunningSystem, partner: TestPartner): Promise<void> {
  const deals = newDeals(250)
  await bringIn(system, partner, deals)
  for (let change = 1; change <= 3; change++)
    await bringIn(
      system,
      partner,
      deals.map(({ id }) => ({ id, stage: `Stage ${change}` })),
    )
}

/** Returns the number of a partner's deliveries by state. */
const tallyOf = ({ db }: RunningSystem, partner: TestPartner) => db.$client`
  select state, attempt_count::int as attempts, (select array_agg(status order by number) from attempts where delivery_id = delivery.id) as statuses, count(*)::int
  from deliveries delivery where partner_id = ${partner.id} group by 1, 2, 3 order by 1, 2`

/** Waits until all deliveries are recorded as delivered at the first recorded attempt. */
const allDelivered = (system: RunningSystem, partner: TestPartner, count: number) =>
  expect
    .poll(() => tallyOf(system, partner), { intervals: [200], timeout: 30_000 })
    .toEqual([{ state: 'delivered', attempts: 1, statuses: [200], count }])

/** Returns the PID of the system's own database, or null if that database is not running. */
async function postmasterOf({ dataDir }: RunningSystem): Promise<number | null> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => null)
  return text === null ? null : Number(text.split('\n')[0])
}

const sequences = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

const soon = (status: number) => sleep(10, status)

test('WORKER=off sends nothing; a separate worker sends, and stops on request', async () => {
  const { receiver, partner } = await makeListener()
  expect((await web.operator(['import', '-', '--partner', partner.slug], '{"id":1}\n{"id":2}\n')).code).toBe(
    0,
  )
  expect(await tallyOf(web, partner)).toEqual([{ state: 'waiting', attempts: 0, statuses: null, count: 2 }])
  expect(receiver.requests).toEqual([])
  const worker = await startWorker()
  await allDelivered(web, partner, 2)
  expect(await worker.stop()).toBe(0)
  await expect.poll(() => worker.output()).toContain('Stopping …')
  expect((await ask(web, 'GET /readyz')).status).toBe(200)

  await bringIn(web, partner, [{ id: 1n, stage: 'Permit' }])
  expect(receiver.requests).toHaveLength(2)
  // Uses the default rules: only public https URLs.
  const apart = await startWorker({
    DATABASE_URL: await embeddedUrl(web.dataDir),
    WEBHOOK_ALLOW_HTTP: 'on',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
  })
  await allDelivered(web, partner, 3)
  expect(await apart.stop()).toBe(0)
  expect(acceptedSequences(receiver)).toEqual(sequences(3))
  expect(receiver.requests).toHaveLength(3)
})

test('a worker killed four times during 1,000 events loses none and repeats only leased events', async () => {
  test.setTimeout(360_000)
  const { receiver, partner } = await makeListener()
  await bringIn1000(web, partner)
  const kills = 4
  let killed = 0
  let worker = Promise.withResolvers<RunningProgram>()
  receiver.answer = async () => {
    const running = await worker.promise
    // Kill the worker during deliveries: this request and concurrent ones have no response yet.
    if (killed < kills && receiver.ids.size >= (killed + 1) * 200) {
      killed++
      worker = Promise.withResolvers()
      void running.stop('SIGKILL')
    }
    return soon(200)
  }
  for (let start = 0; start <= kills; start++) {
    const running = await startWorker({ WEBHOOK_LEASE_MS: '1000' })
    worker.resolve(running)
    if (start < kills) {
      await expect.poll(() => killed, { intervals: [5], timeout: 30_000 }).toBe(start + 1)
      expect(await running.stop('SIGKILL')).toBeNull()
      expect(receiver.ids.size).toBeLessThan(1000)
    }
  }
  await allDelivered(web, partner, 1000)
  expect(acceptedSequences(receiver)).toEqual(sequences(1000))
  expect(outOfOrder(receiver)).toEqual([])
  const again = repeated(receiver)
  expect(again.length).toBeGreaterThanOrEqual(kills)
  expect(again.length).toBeLessThanOrEqual(kills * 2 * laneWidth)
  for (const [first, second] of again) expect(second).toMatchObject({ path: first.path, body: first.body })
  expect(new Set(receiver.requests.map(({ sequence, id }) => `${sequence} ${id}`)).size).toBe(1000)
})

// This test must be last, because it stops the system.
test('a standalone worker starts and stops the database; stopping both processes leaves no database running', async () => {
  const { receiver, partner } = await makeListener()
  const beside = await startWorker()
  expect(await Promise.all([beside.stop(), web.stop()])).toEqual([0, 0])
  expect(await postmasterOf(web)).toBeNull()
  const [deal] = newDeals(1)
  expect((await web.operator(['import', '-', '--partner', partner.slug], `{"id":${deal!.id}}\n`)).code).toBe(
    0,
  )
  const alone = await startWorker()
  await expect.poll(() => receiver.requests.length, { intervals: [5] }).toBe(1)
  expect(await alone.stop()).toBe(0)
  expect(await postmasterOf(web)).toBeNull()
  expect(receiver.requests.map(({ sequence, dealId }) => [sequence, dealId])).toEqual([[1, String(deal!.id)]])
})

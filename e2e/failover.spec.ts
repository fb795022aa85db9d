import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@playwright/test'
import { balancerName } from './balancer.ts'
import { startDatabaseProxy } from './database-proxy.ts'
import { type Receiver, acceptedSequences, outOfOrder, startReceiver } from './receiver.ts'
import { ask } from './rest/client.ts'
import { bringIn, newDeals } from './rest/deals.ts'
import { type Pair, startPair } from './standby.ts'
import { type RunningSystem, type TestPartner, startSystem, temporaryDirectory } from './system.ts'

// Losing the primary under load: a synchronous standby takes over, and no acknowledged change is lost.

/** Maximum time after the promotion until the service is fully available again. */
const servingMs = 3000
const importCount = 8_000

let stack: AsyncDisposableStack
let pair: Pair
let system: RunningSystem
let receiver: Receiver

/**
 * Module hook that throws if the driver's other build is loaded, because only one build is patched
 * (db/patches).
 */
const refuseOtherBuild = `
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) {
    if (url.includes('/postgres/cjs/')) throw new Error('The unpatched driver was loaded.')
    return next(url, context)
  } })`

/** Returns the URL that connects the service to the pair of servers. */
type Reach = (directory: string) => Promise<string>

async function start(reach: Reach): Promise<void> {
  stack = new AsyncDisposableStack()
  const directory = await temporaryDirectory()
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  pair = stack.adopt(await startPair(directory), (each) => each.close())
  receiver = stack.adopt(await startReceiver(), (each) => each.close())
  const env = {
    DATABASE_URL: await reach(directory),
    WEBHOOK_ALLOW_HTTP: 'on',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_LEASE_MS: '2000',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(refuseOtherBuild)}`,
  }
  const dataDir = await temporaryDirectory()
  system = stack.adopt(await startSystem({ dataDir, env }), (each) => each.dispose())
}
test.afterEach(() => stack.disposeAsync())

async function startBehindProxy(directory: string): Promise<string> {
  const urls = [pair.primaryUrl, pair.standbyUrl]
  return stack.adopt(await startDatabaseProxy(directory, urls), (each) => each.close()).url
}

const sequences = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

/** Reads the list again and again until stopped. Records the status and time of every response. */
function readOn({ token }: TestPartner) {
  const answers: { status: number; at: number }[] = []
  let isStopped = false
  const reading = (async () => {
    while (!isStopped) {
      const { status } = await ask(system, 'GET /api/deals?size=10', { token })
      answers.push({ status, at: performance.now() })
      await sleep(20)
    }
  })()
  return {
    answers,
    async stop() {
      isStopped = true
      await reading
    },
  }
}

/** Writes deals again and again until stopped. Records acknowledged changes. */
function writeOn(partner: TestPartner) {
  const acknowledged: bigint[] = []
  let lastAt = 0
  let isStopped = false
  const writing = (async () => {
    while (!isStopped) {
      const deals = newDeals(5)
      const isWritten = await bringIn(system, partner, deals).then(
        () => true,
        () => false,
      )
      if (isWritten) {
        acknowledged.push(...deals.map(({ id }) => id as bigint))
        lastAt = performance.now()
      }
      await sleep(30)
    }
  })()
  return {
    acknowledged,
    lastAt: () => lastAt,
    async stop() {
      isStopped = true
      await writing
    },
  }
}

/** Expects a partner's event sequence to have no gaps. Returns the number of events. */
async function expectGapless(partner: TestPartner): Promise<number> {
  const [row] = await system.db.$client<[{ count: number; last: number }]>`
    select count(*)::int, coalesce(max(sequence), 0)::int as last from events where partner_id = ${partner.id}`
  expect(row.count).toBe(row.last)
  return row.count
}

test(`behind ${balancerName}, a standby takes over: no acknowledged write is lost, and service resumes`, async () => {
  await start(startBehindProxy)
  await loseNothing()
})

test('with both hosts in the URL, a standby takes over: no acknowledged write is lost, and service resumes', async () => {
  await start(async () => pair.url)
  await loseNothing()
})

async function loseNothing(): Promise<void> {
  const [partner, importing] = [await system.makePartner(), await system.makePartner()]
  for (const { token } of [partner, importing]) {
    const json = { createURL: receiver.url, updateURL: receiver.url }
    expect((await ask(system, 'POST /api/webhook', { token, json })).status).toBe(200)
  }
  const deals = newDeals(importCount)
  const path = join(system.dataDir, 'deals.ndjson')
  await writeFile(path, deals.map(({ id }) => `{"id":${id},"dealname":"Imported ${id}"}\n`).join(''))
  const words = ['import', path, '--partner', importing.slug, '--no-events']
  const [reads, writes] = [readOn(partner), writeOn(partner)]
  const firstImport = system.operator(words)
  const imported = async () =>
    (await system.db.$client`select from deals where partner_id = ${importing.id} limit 1`).length
  await expect.poll(imported, { intervals: [20], timeout: 60_000 }).toBe(1)

  await pair.killPrimary()
  await sleep(500)
  await pair.promote()
  const promotedAt = performance.now()

  await expect
    .poll(() => writes.lastAt(), { intervals: [10], timeout: servingMs })
    .toBeGreaterThan(promotedAt)
  const servedAgain = () => reads.answers.find(({ status, at }) => status === 200 && at > promotedAt)
  await expect.poll(servedAgain, { intervals: [10], timeout: servingMs }).toBeDefined()
  expect(servedAgain()!.at - promotedAt).toBeLessThan(servingMs)
  await sleep(1000)
  await Promise.all([reads.stop(), writes.stop()])
  expect(new Set(reads.answers.map(({ status }) => status))).toEqual(new Set([200, 503]))
  expect(reads.answers.at(-1)!.status).toBe(200)

  expect(await firstImport).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`created ${importCount}, updated 0, unchanged 0, rejected 0`),
  })
  const [row] = await system.db.$client<[{ count: number; listed: number }]>`
    select count(*)::int, (select deal_count::int from deal_lists where id = ${importing.id}) as listed
    from deals where partner_id = ${importing.id}`
  expect(row).toEqual({ count: importCount, listed: importCount })

  const stored = await system.db.$client<{ id: string }[]>`
    select id::text from deals where partner_id = ${partner.id}`
  const ids = new Set(stored.map(({ id }) => BigInt(id)))
  expect(writes.acknowledged.filter((id) => !ids.has(id))).toEqual([])
  const count = await expectGapless(partner)
  expect(count).toBeGreaterThanOrEqual(writes.acknowledged.length)
  expect(await expectGapless(importing)).toBe(0)
  // Delivery is at least once: attempts whose result was not recorded are repeated.
  await expect
    .poll(() => new Set(acceptedSequences(receiver)).size, { intervals: [50], timeout: 15_000 })
    .toBe(count)
  expect([...new Set(acceptedSequences(receiver))].toSorted((a, b) => a - b)).toEqual(sequences(count))
  expect(outOfOrder(receiver)).toEqual([])
  expect(system.process.exitCode).toBeNull()
  for (const page of ['/sign-in', '/deals', '/api/auth/session'])
    expect((await fetch(`${system.url}${page}`)).status).toBe(200)
  expect(system.output()).not.toContain('unpatched')
}

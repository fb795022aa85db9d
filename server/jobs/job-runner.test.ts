import { once } from 'node:events'
import { type AddressInfo, type Socket, connect, createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '#db/client.ts'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { type JobHandlers, RetryLaterError } from './attempt-job.ts'
import { JobRunner } from './job-runner.ts'
import { policyOf } from './kinds.ts'
import { type LeasedJob, openBoss } from './open-boss.ts'
import { sendJob, sendJobs } from './send-store.ts'
import { countJobs, discardJobs, listFailedJobs, retryJobs, settleJobs, takeJobs } from './store.ts'

let database: TestDatabase
let runners: JobRunner[]
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  runners = []
  await database.db.$client`delete from pgboss.job`
})
afterEach(() => Promise.all(runners.map((runner) => runner.stop(1000))))

const log = { warn() {}, error() {} } as never
const kind = 'update-usual-zone'
const timeoutMs = 30_000

function run(handler: JobHandlers[typeof kind]): JobRunner {
  const runner = new JobRunner({ db: database.db, log, handlers: { [kind]: handler } as never })
  runners.push(runner)
  return runner
}
const jobFor = (partnerId: number, group = partnerId) => ({ data: { partnerId }, group })
const sendMany = (count: number, group?: number) =>
  sendJobs(
    database.db.$client,
    kind,
    Array.from({ length: count }, (_, at) => jobFor(at, group)),
  )
const countOf = async () => (await countJobs(database.db)).find((counts) => counts.kind === kind)!
const makeDue = () => database.db.$client`update pgboss.job set start_after = now()`

test('sends a job with its transaction or not at all, and two processes run it once', async () => {
  const { $client: sql } = database.db
  await sql
    .begin(async (tx) => {
      await sendJob(tx, kind, jobFor(1))
      throw new Error('rolled back')
    })
    .catch(() => {})
  await sql.begin((tx) =>
    sendJobs(
      tx,
      kind,
      Array.from({ length: 100 }, (_, at) => jobFor(at + 2)),
    ),
  )
  const seen: number[] = []
  for (let at = 0; at < 2; at++) run(async ({ partnerId }) => void seen.push(partnerId))
  await vi.waitFor(async () => expect(await countOf()).toMatchObject({ waiting: 0, running: 0 }), timeoutMs)
  expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at + 2))
})

test('a hanging group does not delay other groups in any process', async () => {
  const { $client: sql } = database.db
  await sendMany(200, 1)
  await sendJob(sql, kind, jobFor(1000, 2))
  const seen: number[] = []
  const hanging = async ({ partnerId }: { partnerId: number }, { signal }: { signal: AbortSignal }) => {
    seen.push(partnerId)
    if (partnerId < 1000)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
  }
  run(hanging)
  run(hanging)
  await vi.waitFor(() => expect(seen).toContain(1000), timeoutMs)
  expect(seen).toHaveLength(1 + policyOf(kind).perGroup!)
})

test('processes that fetch jobs at the same time fetch only one job of a group', async () => {
  const both = await Promise.all([1, 2].map(() => openBoss(database.db, { isWorker: false, report() {} })))
  onTestFinished(async () => void (await Promise.all(both.map((open) => open.close()))))
  for (let group = 1; group <= 20; group++) {
    await sendMany(10, group)
    const leased = await Promise.all(both.map((open) => takeJobs(open, kind, 5)))
    expect(leased.flat()).toHaveLength(policyOf(kind).perGroup!)
    await database.db.$client`delete from pgboss.job`
  }
})

test('a failing job is retried later, and does not delay other jobs', async () => {
  const { $client: sql } = database.db
  const seen: number[] = []
  run(async ({ partnerId }) => {
    seen.push(partnerId)
    if (partnerId === 1) throw new RetryLaterError('away', 3_600_000)
    // Error messages may contain characters that the database rejects.
    if (partnerId === 2) throw new Error('broken \0 and \uD83D')
  })
  await sendJobs(sql, kind, [jobFor(1), jobFor(2), jobFor(3)])
  await vi.waitFor(async () => expect(await countOf()).toMatchObject({ failing: 2, running: 0 }), timeoutMs)
  await vi.waitFor(() => expect(seen.toSorted()).toEqual([1, 2, 3]), timeoutMs)
  const failed = await listFailedJobs(database.db, { kind, limit: 10 })
  expect(failed.map(({ problem, state }) => `${state}: ${problem}`).toSorted()).toEqual([
    'failing: away',
    'failing: broken  and \uFFFD',
  ])
  const later = failed.find(({ problem }) => problem === 'away')!
  expect(later.nextAt!.getTime() - Date.now()).toBeGreaterThan(3_500_000)
})

test('a job that failed for the last time stays dead until an operator retries or discards it', async () => {
  const { $client: sql } = database.db
  let isBroken = true
  const attempts: boolean[] = []
  run(async (_, { isLastAttempt }) => {
    attempts.push(isLastAttempt)
    if (isBroken) throw new Error('broken')
  })
  await sendJobs(sql, kind, [jobFor(1), jobFor(2)])
  const { retries } = policyOf(kind)
  for (let attempt = 0; attempt <= retries; attempt++) {
    await vi.waitFor(() => expect(attempts).toHaveLength(2 * (attempt + 1)), timeoutMs)
    await vi.waitFor(async () => expect((await countOf()).running).toBe(0), timeoutMs)
    await makeDue()
  }
  expect(await countOf()).toMatchObject({ waiting: 0, dead: 2 })
  expect(attempts).toEqual(attempts.map((_, at) => at >= 2 * retries))
  // A newer job that will be retried is listed after the dead jobs.
  await sendJob(sql, kind, jobFor(3))
  await vi.waitFor(async () => expect(await countOf()).toMatchObject({ failing: 1, running: 0 }), timeoutMs)
  isBroken = false
  const [first, second, third] = await listFailedJobs(database.db, { kind, limit: 10 })
  expect([first, second, third].map((job) => job!.state)).toEqual(['dead', 'dead', 'failing'])
  expect(await database.db.transaction((tx) => retryJobs(tx, [first!.id]))).toEqual([kind])
  expect(await database.db.transaction((tx) => discardJobs(tx, [second!.id, crypto.randomUUID()]))).toEqual([
    kind,
  ])
  await makeDue()
  await vi.waitFor(
    async () => expect(await countOf()).toMatchObject({ waiting: 0, running: 0, dead: 0 }),
    timeoutMs,
  )
}, 120_000)

test('a process stops soon even if its jobs hang, and releases the jobs', async () => {
  const { $client: sql } = database.db
  const numbers = Array.from({ length: policyOf(kind).concurrency }, (_, at) => at)
  await sendMany(numbers.length)
  const started: number[] = []
  // Shorter than the statement timeout.
  const statementS = 9
  const runner = run(async ({ partnerId }) => {
    started.push(partnerId)
    // One handler waits for a statement, and the others wait forever. All of them ignore the signal.
    await (partnerId === 0 ? sql`select pg_sleep(${statementS})` : new Promise(() => {}))
  })
  await vi.waitFor(() => expect(started.toSorted()).toEqual(numbers), timeoutMs)
  const startedAt = performance.now()
  await runner.stop(500)
  expect(performance.now() - startedAt).toBeLessThan(statementS * 1000)
  const jobs = await sql`select state, start_after <= now() as "isDue", retry_count, priority from pgboss.job`
  expect([...jobs]).toEqual(numbers.map(() => ({ state: 'retry', isDue: true, retry_count: 0, priority: 0 })))
}, 120_000)

test('releases jobs that must wait for another job in one statement', async () => {
  const { $client: real } = database.db
  await sendMany(50)
  const open = await openBoss(database.db, { isWorker: false, report() {} })
  onTestFinished(() => open.close())
  const jobs = (await open.boss.fetch(kind, { batchSize: 50, includeMetadata: true })) as LeasedJob[]
  const sql = vi.fn(real) as unknown as typeof real
  const outcomes = jobs.map(
    (job) => ({ kind, job, result: 'stopped', problem: null, waitMs: 60_000 }) as const,
  )
  await settleJobs({ ...open, sql }, outcomes)
  expect(sql).toHaveBeenCalledOnce()
  expect(await countOf()).toMatchObject({ waiting: 50, running: 0, oldestDueS: null })
  // Simulates that other processes have taken the jobs.
  await makeDue()
  await open.boss.fetch(kind, { batchSize: 50 })
  await settleJobs({ ...open, sql }, outcomes)
  expect(await countOf()).toMatchObject({ waiting: 0, running: 50 })
})

/**
 * Returns the database behind a proxy. `silence` makes the proxy stop forwarding data on open connections.
 */
async function openSilenceable() {
  const open = new Set<Socket>()
  const { hostname, port } = new URL(database.url)
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    near.pipe(far).pipe(near)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => {}).once('close', () => other.destroy())
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const proxyPort = String((server.address() as AddressInfo).port)
  const db = openDatabase(Object.assign(new URL(database.url), { port: proxyPort }).href, 1)
  onTestFinished(async () => {
    for (const socket of open) socket.destroy()
    server.close()
    await db.$client.end({ timeout: 0 })
  })
  return { db, silence: () => open.forEach((socket) => socket.unpipe().pause()) }
}

test('replaces a connection that has fallen silent', async () => {
  const { db, silence } = await openSilenceable()
  const seen: number[] = []
  const handler = async ({ partnerId }: { partnerId: number }) => void seen.push(partnerId)
  runners.push(new JobRunner({ db, log, handlers: { [kind]: handler } as never, stepMaxMs: 2000 }))
  await sendJob(database.db.$client, kind, jobFor(1))
  await vi.waitFor(() => expect(seen).toEqual([1]), timeoutMs)
  silence()
  await sendJob(database.db.$client, kind, jobFor(2))
  await vi.waitFor(() => expect(seen).toContain(2), timeoutMs)
}, 120_000)

test('a handler that ignores its time limit does not block the next job', async () => {
  const { $client: sql } = database.db
  await sendMany(policyOf(kind).concurrency + 1)
  await sql`update pgboss.job set expire_seconds = 1`
  const started: number[] = []
  run(async ({ partnerId }) => {
    started.push(partnerId)
    await new Promise(() => {})
  })
  await vi.waitFor(() => expect(new Set(started).size).toBe(policyOf(kind).concurrency + 1), timeoutMs)
}, 120_000)

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { type Database, migrateDatabase, openDatabase, openPooledDatabase } from '#db/client.ts'
import { createTestDatabase } from '#db/test-database.ts'
import { startPooler } from '#db/test-pooler.ts'
import { startPair } from '#e2e/standby.ts'
import { JobRunner } from './job-runner.ts'
import { sendJob, sendJobs } from './send-store.ts'
import { listFailedJobs, lossesMax, retryJobs } from './store.ts'

const program = fileURLToPath(new URL('../../e2e/run-jobs.ts', import.meta.url))
const log = { warn() {}, error() {} } as never

/** A process that runs jobs. */
interface Run {
  child: ChildProcess
  /** Returns the exit code or signal, or null while the process runs. */
  end: () => number | NodeJS.Signals | null
  /** Resolves with the exit code or signal. */
  ended: Promise<number | NodeJS.Signals>
}

type Finish = (close: () => void | Promise<void>) => void

/** Prepares a database in which processes run jobs. Returns a function that starts such a process. */
async function openJobs({ $client: sql }: Database, url: string, onTestFinished: Finish) {
  await sql`create table done (number integer, run integer, at timestamptz default clock_timestamp())`
  // Jobs of a killed process are taken over sooner than after the default 30 seconds. No job takes a second,
  // even on a loaded machine.
  await sql`update pgboss.queue set heartbeat_seconds = 6`
  return (run: number): Run => {
    const child = spawn(process.execPath, [program, url, String(run)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    // Records the exit even if nobody awaits it yet.
    const end = () => child.exitCode ?? child.signalCode
    return { child, end, ended: once(child, 'exit').then(() => end()!) }
  }
}

/** Creates a database for one test. */
async function openDatabaseOfTest(onTestFinished: Finish) {
  const { db, url, drop } = await createTestDatabase()
  onTestFinished(drop)
  return { db, url, sql: db.$client }
}

/** Sends numbered jobs of several kinds, with and without groups and keys. */
async function sendMixed(count: number, { $client: sql }: Database): Promise<void> {
  const numbers = Array.from({ length: count }, (_, at) => at + 1)
  const groupOf = (number: number) => number % 20
  const of = (rest: number) => numbers.filter((number) => number % 5 === rest)
  await sendJobs(
    sql,
    'mail',
    of(0).map((number) => ({ data: { mailId: number }, group: groupOf(number) })),
  )
  await sendJobs(
    sql,
    'notification-push',
    of(1).map((number) => ({ data: { deliveryId: number }, group: groupOf(number) })),
  )
  await sendJobs(
    sql,
    'run-import',
    of(2).map((number) => ({ data: { importId: number }, key: number, group: groupOf(number) })),
  )
  await sendJobs(
    sql,
    'read-source',
    of(3).map((number) => ({ data: { sourceId: number }, key: number, group: number })),
  )
  await sendJobs(
    sql,
    'update-usual-zone',
    of(4).map((number) => ({ data: { partnerId: number }, group: groupOf(number) })),
  )
}

const countDone = async ({ $client: sql }: Database) => {
  const [row] = await sql<{ count: number }[]>`select count(distinct number)::integer as count from done`
  return row!.count
}
const countJobs = async ({ $client: sql }: Database) => {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from pgboss.job where state <> 'completed'`
  return row!.count
}

// Run the full test with JOBS_KILLS=30 vitest run --config e2e/vitest.config.ts server/jobs/killed
const killCount = Number(process.env['JOBS_KILLS'] ?? 4)

// These tests mostly wait for lost jobs to be taken over.
describe.concurrent('the runner', () => {
  test('loses no job when processes are killed, and repeats only jobs that were running', async ({
    onTestFinished,
  }) => {
    const { db, url, sql } = await openDatabaseOfTest(onTestFinished)
    const start = await openJobs(db, url, onTestFinished)
    const jobs = killCount * 100
    await sendMixed(jobs, db)
    for (let run = 1; run <= killCount; run++) {
      const { child, end, ended } = start(run)
      const before = await countDone(db)
      while (end() === null && (await countDone(db)) < before + 50) await sleep(5)
      child.kill('SIGKILL')
      expect(await ended).toBe('SIGKILL')
    }
    expect(await countDone(db)).toBeLessThan(jobs)
    start(killCount + 1)
    const left = () => sql`
    select name, state, priority, retry_count, start_after - now() as wait, output from pgboss.job
    where state <> 'completed' order by state desc limit 10`
    await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 120_000, interval: 200 })
    expect(await countDone(db)).toBe(jobs)
    // A repeated job must have started in a process that was killed before it could report the end.
    const repeated = await sql<{ number: number; runs: number[] }[]>`
    select number, array_agg(run order by at) as runs from done group by number having count(*) > 1`
    for (const { runs } of repeated) {
      expect(new Set(runs).size).toBe(runs.length)
      for (const run of runs.slice(0, -1)) expect(run).toBeLessThanOrEqual(killCount)
    }
    const begunAtOnceMax = 8 + 32 + 3 + 3 + 2
    expect(repeated.length).toBeLessThanOrEqual(killCount * begunAtOnceMax)
  }, 600_000)

  test('retries a job that kills its process later and alone, and gives up after three times', async ({
    onTestFinished,
  }) => {
    const { db, url, sql } = await openDatabaseOfTest(onTestFinished)
    const start = await openJobs(db, url, onTestFinished)
    const poison = { data: { importId: -1 }, key: 1, group: 1 }
    await sendJob(sql, 'run-import', poison)
    await sendMixed(50, db)
    const waitsS: number[] = []
    for (let loss = 0; loss < lossesMax; loss++) {
      const { end, ended } = start(loss)
      while (end() === null) {
        const [lost] = await sql<{ waitS: number }[]>`
        select extract(epoch from start_after - now())::float8 as "waitS" from pgboss.job
        where priority = ${-loss} and data = ${JSON.stringify(poison.data)}::text::jsonb and state = 'retry'`
        if (lost !== undefined) waitsS[loss] ??= lost.waitS
        if (lost !== undefined) await sql`update pgboss.job set start_after = now() where state = 'retry'`
        await sleep(50)
      }
      expect(await ended).toBe(1)
    }
    expect(waitsS[2]).toBeGreaterThan(50)
    // The next job with the same data waits as well.
    const last = start(200)
    await vi.waitFor(async () => {
      const [dead] = await listFailedJobs(db, { kind: 'run-import', limit: 1 })
      expect(dead).toMatchObject({ state: 'dead', problem: expect.stringContaining('3 of 3 times') })
    }, 30_000)
    await sendJob(sql, 'run-import', poison)
    await sql`update pgboss.job set start_after = now() where state = 'retry'`
    await vi.waitFor(async () => {
      const left =
        await sql`select name, state, data, priority from pgboss.job where state <> 'completed' and data <> 'null'`
      expect(left.length, JSON.stringify(left)).toBe(2)
    }, 45_000)
    expect(last.end()).toBeNull()
    expect(await countDone(db)).toBe(50)
    // After an operator retries a job, its history no longer counts.
    const [dead] = await listFailedJobs(db, { kind: 'run-import', limit: 1 })
    await db.transaction((tx) => retryJobs(tx, [dead!.id]))
    expect(await last.ended).toBe(1)
  }, 300_000)

  test('loses no job when a standby takes over, and runs new jobs there', async ({ onTestFinished }) => {
    await using stack = new AsyncDisposableStack()
    const directory = await mkdtemp(join(tmpdir(), 'jobs-'))
    stack.defer(() => rm(directory, { recursive: true, force: true }))
    if (process.getuid?.() === 0) await chmod(directory, 0o755)
    const pair = stack.adopt(await startPair(directory), (each) => each.close())
    await migrateDatabase(pair.url)
    const db = stack.adopt(openDatabase(pair.url, 4), ({ $client }) => $client.end({ timeout: 1 }))
    const start = await openJobs(db, pair.url, onTestFinished)
    await sendMixed(600, db)
    for (const run of [1, 2]) start(run)
    const polling = { timeout: 150_000, interval: 20 }
    await vi.waitFor(async () => expect(await countDone(db)).toBeGreaterThan(100), polling)
    await pair.killPrimary()
    await sleep(500)
    await pair.promote()
    const send = () => sendJob(db.$client, 'mail', { data: { mailId: 1000 }, group: 1000 })
    await vi.waitFor(send, polling)
    await vi.waitFor(async () => {
      // The failover may have interrupted the statement of a job, which then counts as failed.
      await db.$client`update pgboss.job set start_after = now() where state = 'retry'`
      expect(await countJobs(db)).toBe(0)
    }, polling)
    expect(await countDone(db)).toBe(601)
  }, 600_000)
})

test('runs jobs sent through a transaction pooler immediately, and leaves no state in its sessions', async ({
  onTestFinished,
}) => {
  const { url } = await openDatabaseOfTest(onTestFinished)
  const pooler = await startPooler(url, 2)
  const db = openPooledDatabase(pooler.url, url)
  const sentAt = new Map<number, number>()
  const waits: number[] = []
  const handler = async ({ mailId }: { mailId: number }) =>
    void waits.push(performance.now() - sentAt.get(mailId)!)
  const runner = new JobRunner({ db, log, handlers: { mail: handler } as never })
  try {
    for (let mailId = 1; mailId <= 20; mailId++) {
      sentAt.set(mailId, performance.now())
      await db.$client.begin((tx) => sendJob(tx, 'mail', { data: { mailId }, group: mailId }))
    }
    await vi.waitFor(() => expect(waits).toHaveLength(20), 10_000)
    expect(Math.max(...waits)).toBeLessThan(5000)
    expect(pooler.leftBehind).toEqual([])
  } finally {
    await runner.stop(1000)
    await Promise.all([db.$client.end({ timeout: 1 }), db.$client.direct!.end({ timeout: 1 })])
    pooler.close()
  }
}, 30_000)

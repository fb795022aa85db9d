import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connect, crm, database, useStandIn } from '#e2e/crm/connected.ts'
import { JobRunner } from '../jobs/job-runner.ts'
import { sendMissingJobs } from '../jobs/send-store.ts'
import * as actions from './actions.ts'
import { hintSource } from './announced-store.ts'
import { followSource } from './follow-source.ts'
import { findSource } from './store.ts'

let runners: JobRunner[]

useStandIn()
beforeEach(async () => {
  runners = []
  await database.db.$client`delete from pgboss.job`
})
afterEach(async () => {
  await Promise.all(runners.map((runner) => runner.stop(1000)))
})

type Context = Awaited<ReturnType<typeof connect>>['context']

function run(context: Context): JobRunner {
  const handler = ({ sourceId }: { sourceId: number }, { signal }: { signal: AbortSignal }) =>
    followSource({ ...context, log }, sourceId, signal)
  const runner = new JobRunner({ db: database.db, log, handlers: { 'read-source': handler } as never })
  runners.push(runner)
  return runner
}
const log = { warn() {}, error() {} } as never

/** Returns the jobs of sources, with the seconds until each job is due. */
const jobs = () => database.db.$client<{ key: string; state: string; dueInS: number }[]>`
  select singleton_key as key, state::text, extract(epoch from start_after - now())::float8 as "dueInS"
  from pgboss.job where name = 'read-source' order by id`

test('a connected source is read immediately, and again after its polling interval or a hint', async () => {
  const { id, context, stored } = await connect()
  const first = crm.create({ dealname: 'First' })
  run(context)
  await vi.waitFor(async () => expect(await stored(first)).toBeDefined(), 5000)
  await vi.waitFor(
    async () => expect(await jobs()).toMatchObject([{ key: String(id), state: 'created' }]),
    5000,
  )
  const { dueInS } = (await jobs())[0]!
  expect(dueInS).toBeGreaterThan(50)
  expect(dueInS).toBeLessThanOrEqual(60)
  // Simulates the end of the pause after the last read.
  await database.db.$client`update sources set succeeded_at = now() - interval '1 minute'`
  const second = crm.create({ dealname: 'Second' })
  const hintedAt = performance.now()
  await hintSource(database.db, id, [{ id: BigInt(second), isRemoval: false }])
  await vi.waitFor(async () => expect(await stored(second)).toBeDefined(), 5000)
  expect(performance.now() - hintedAt).toBeLessThan(2000)
}, 20_000)

test('only one of several processes reads a source at a time; a request during a read is served afterwards', async () => {
  const { id, context, read } = await connect()
  await read()
  let reads = 0
  let atOnce = 0
  let atOnceMax = 0
  crm.fault = (path) => {
    if (path.endsWith('/pipelines/deals')) reads++
    return undefined
  }
  const handler = async ({ sourceId }: { sourceId: number }, { signal }: { signal: AbortSignal }) => {
    atOnceMax = Math.max(atOnceMax, ++atOnce)
    await followSource({ ...context, log }, sourceId, signal).finally(() => atOnce--)
    await sleep(300)
  }
  for (let at = 0; at < 2; at++)
    runners.push(new JobRunner({ db: database.db, log, handlers: { 'read-source': handler } as never }))
  for (let at = 0; at < 10; at++) {
    await actions.refreshSource(context, id)
    await sleep(100)
  }
  await vi.waitFor(async () => expect(await jobs()).toMatchObject([{ state: 'created' }]), 10_000)
  expect(atOnceMax).toBe(1)
  expect(reads).toBeGreaterThan(1)
}, 30_000)

test('a failing source is retried later, and a request for a read reschedules its job', async () => {
  const failing = await connect()
  crm.fault = () => ({ status: 401 })
  run(failing.context)
  await vi.waitFor(async () => {
    const [job, ...others] = await jobs()
    expect([job, others]).toMatchObject([{ key: String(failing.id), state: 'retry' }, []])
    expect(job!.dueInS).toBeGreaterThan(50)
  }, 5000)
  expect((await findSource(database.db, failing.id))!.failingSince).not.toBeNull()
  crm.fault = () => undefined
  await actions.refreshSource(failing.context, failing.id)
  await vi.waitFor(async () => {
    expect((await findSource(database.db, failing.id))!.failingSince).toBeNull()
    expect(await jobs()).toMatchObject([{ key: String(failing.id), state: 'created' }])
  }, 5000)
}, 20_000)

test('a paused source has no job until it is resumed', async () => {
  const { id, context } = await connect()
  await actions.pauseSource(context, id)
  run(context)
  await vi.waitFor(async () => expect(await jobs()).toEqual([]), 5000)
  expect(await findSource(database.db, id)).toMatchObject({ succeededAt: null })
  await actions.resumeSource(context, id)
  await vi.waitFor(async () => expect((await findSource(database.db, id))!.succeededAt).not.toBeNull(), 5000)
}, 20_000)

test('a source without a job gets one, as after an upgrade', async () => {
  const { id } = await connect()
  const { $client: sql } = database.db
  await sql`delete from pgboss.job`
  await sendMissingJobs(database.db.$client, true)
  await sendMissingJobs(database.db.$client, true)
  expect(await jobs()).toMatchObject([{ key: String(id) }])
  await sql`delete from pgboss.job`
  await sql`update sources set paused_at = now()`
  await sendMissingJobs(database.db.$client, true)
  expect(await jobs()).toEqual([])
})

test('a stopping process hands its read over immediately', async () => {
  const { context, read } = await connect()
  await read()
  const begun = Promise.withResolvers<void>()
  crm.fault = () => {
    begun.resolve()
    return { status: 503 }
  }
  await database.db.$client`update sources set next_at = now()`
  const runner = run({ ...context, pace: { searchMs: 0, anyMs: 0, retryMs: 60_000 } })
  await begun.promise
  const stoppedAt = performance.now()
  await runner.stop(5000)
  expect(performance.now() - stoppedAt).toBeLessThan(3000)
  const [job] = await jobs()
  expect(job).toMatchObject({ state: 'retry' })
  expect(job!.dueInS).toBeLessThanOrEqual(0)
}, 20_000)

import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { attempts, deliveries, endpoints } from '#db/schema/webhooks.ts'
import { openTestDatabase } from '#e2e/open-database.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { requestLimits, statementLimits } from '../access/admission-limits.ts'
import type { Role } from '../accounts/role.ts'
import { insertPartner } from '../accounts/store.ts'
import { Slots } from '../admission/slots.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import { toApiError } from '../errors.ts'
import type { Services } from '../runtime/services.ts'
import { issueToken } from '../tokens/issue-token.ts'
import { healthRouter } from './router.ts'
import { startHeartbeat, readAttempts } from './store.ts'

const database = await openTestDatabase()
const partnerId = (await insertPartner(database.db, 'sunline', 'Sunline'))!.id

async function as(role: Role) {
  const services = {
    db: database.db,
    config: { dataDir: import.meta.dirname },
    mailServer: null,
    storages: { current: { problem: async () => null } },
    admission: { requests: new Slots(requestLimits), statements: new Slots(statementLimits) },
  } as Services
  return healthRouter.createCaller(await signedIn(services, { role, partnerId }))
}

test('is available only to operators', async () => {
  for (const role of ['member', 'admin'] as const) {
    const caller = await as(role)
    expect(toApiError(await caller.read().catch((error: unknown) => error)).code).toBe('FORBIDDEN')
  }
})

test('reports the state of the database and the running processes', async () => {
  const { version, database: state, readAt } = await (await as('operator')).read()
  expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  expect(state).toEqual({
    answerMs: expect.any(Number),
    version: expect.stringMatching(/^\d+\.\d/),
    sizeBytes: expect.any(Number),
    connections: expect.any(Number),
    connectionsMax: expect.any(Number),
    migration: expect.any(Number),
  })
  expect(state.connections).toBeGreaterThan(0)
  expect(state.connectionsMax).toBeGreaterThanOrEqual(state.connections)
  const [applied] = await database.db.execute<{ count: number }>(
    sql`select count(*)::integer from drizzle.__drizzle_migrations`,
  )
  expect(state.migration).toBe(applied!.count - 1)
  expect(Math.abs(readAt.getTime() - Date.now())).toBeLessThan(60_000)
})

test('shows workers with a heartbeat until they stop or are silent for 30 seconds', async () => {
  const underway: Promise<unknown>[] = []
  const settled = () => Promise.all(underway)
  const caller = await as('operator')
  const [first, second] = [
    startHeartbeat(database.db, (_kind, _key, run) => underway.push(run()) > 0),
    startHeartbeat(database.db, (_kind, _key, run) => underway.push(run()) > 0),
  ]
  await settled()
  const { workers } = await caller.read()
  expect(workers).toHaveLength(2)
  first.stop()
  await settled()
  expect((await caller.read()).workers).toHaveLength(1)
  await database.db.execute(sql`update workers set seen_at = now() - interval '31 seconds'`)
  expect((await caller.read()).workers).toEqual([])
  // A worker that was killed is deleted by the next worker that starts.
  await database.db.execute(sql`update workers set seen_at = now() - interval '2 days'`)
  const third = startHeartbeat(database.db, (_kind, _key, run) => underway.push(run()) > 0)
  await settled()
  expect(await database.db.execute(sql`select * from workers`)).toHaveLength(1)
  second.stop()
  third.stop()
  await settled()
  expect(await database.db.execute(sql`select * from workers`)).toHaveLength(0)
})

test('counts pending deliveries, attempts and requests, and names problems', async () => {
  const caller = await as('operator')
  expect(await caller.read()).toMatchObject({
    queue: { waiting: 0, due: 0, held: 0, oldestDueAt: null },
    endpoints: [],
    hasMoreEndpoints: false,
    expiringTokens: 0,
  })
  await database.db.insert(endpoints).values([
    {
      partnerId,
      kind: 'create',
      url: 'https://a.example',
      failingSince: new Date(1000),
      failingAnswer: '503',
    },
    { partnerId, kind: 'update', url: 'https://a.example' },
  ])
  const otherId = (await insertPartner(database.db, 'ridgeline', 'Ridgeline'))!.id
  await database.db.insert(endpoints).values({
    partnerId: otherId,
    kind: 'create',
    url: 'https://b.example',
    switchedOffAt: new Date(2000),
    switchedOffBecause: 'gone',
  })
  await writeDeals(
    database.db,
    [1, 2, 3].map((id) => ({ record: { id: BigInt(id) }, partnerId })),
    { now: new Date(), events: true },
  )
  await writeDeals(
    database.db,
    [4, 5].map((id) => ({ record: { id: BigInt(id) }, partnerId: otherId })),
    { now: new Date(), events: true },
  )
  await database.db.execute(sql`update deliveries set due_at = now() + interval '1 hour' where deal_id = 1`)
  await database.db.execute(sql`update deliveries set due_at = now() - interval '1 hour' where deal_id = 2`)
  const [{ id: deliveryId }] = (await database.db.select({ id: deliveries.id }).from(deliveries)) as [
    { id: number },
  ]
  const attempt = {
    deliveryId,
    durationMs: 5,
    url: 'https://a.example',
    signature: '',
    responseHeaders: '',
    responseBody: '',
  }
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  await database.db.insert(attempts).values([
    { ...attempt, number: 1, startedAt: ago(1), status: 204 },
    { ...attempt, number: 2, startedAt: ago(2), status: 500 },
    { ...attempt, number: 3, startedAt: ago(30), status: null, error: 'refused' },
    { ...attempt, number: 4, startedAt: ago(40), status: 200, error: 'cut' },
    { ...attempt, number: 5, startedAt: ago(70), status: 500 },
  ])
  await issueToken(database.db, {
    partnerId,
    name: 'A',
    expiresAt: new Date(Date.now() + 13 * 86_400_000),
  })
  await issueToken(database.db, { partnerId, name: 'B', expiresAt: new Date(Date.now() + 15 * 86_400_000) })
  const { troubles, queue, endpoints: failing, expiringTokens } = await caller.read()
  expect(troubles).toEqual(expect.arrayContaining(['noWorker', 'endpoints']))
  expect(queue).toEqual({ waiting: 3, due: 2, held: 2, oldestDueAt: expect.any(Date) })
  expect(Math.abs(queue.oldestDueAt!.getTime() - ago(60).getTime())).toBeLessThan(60_000)
  expect(await readAttempts(database.db)).toEqual({ hour: 4, hourFailed: 3 })
  expect(failing).toEqual([
    {
      partner: { slug: 'sunline', name: 'Sunline' },
      kind: 'create',
      name: null,
      because: null,
      health: { state: 'failing', since: new Date(1000), answer: '503' },
    },
    {
      partner: { slug: 'ridgeline', name: 'Ridgeline' },
      kind: 'create',
      name: null,
      because: 'gone',
      health: { state: 'off', since: new Date(2000), answer: null },
    },
  ])
  expect(expiringTokens).toBe(1)
})

test('reports free disk space, the last backup and the mail server', async () => {
  const first = await (await as('operator')).read()
  expect(first.disk.freeBytes).toBeGreaterThan(0)
  expect(first.disk.sizeBytes).toBeGreaterThan(first.disk.freeBytes)
  expect(first).toMatchObject({ backedUpAt: null, mailServer: null })
  await database.db.$client`insert into installation (backed_up_at) values (now() - interval '8 days')`
  const { backedUpAt, troubles } = await (await as('operator')).read()
  expect(Math.round((Date.now() - backedUpAt!.getTime()) / 86_400_000)).toBe(8)
  expect(troubles).toContain('backup')
})

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { staff } from '#db/demo/people.ts'
import type { TestDatabase } from '#db/test-database.ts'
import { createDemoDatabase } from '#e2e/demo-database.ts'
import { temporaryDirectory } from '#e2e/system.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { findPartner } from '../accounts/store.ts'
import { directoryStorage } from '../files/disk-storage.ts'
import { storagesOf } from '../files/storage.ts'
import { readHours } from '../health/hour-store.ts'
import { readQuestions } from '../messages/question-store.ts'
import { readUsualAnswerMs } from '../messages/store.ts'
import { placeNames } from '../stages/place.ts'
import { stageKey } from '../stages/spelling.ts'
import { type Stage, isMoving } from '../stages/stage.ts'
import { readAllStages } from '../stages/store.ts'
import { hourMs } from '../values/units.ts'
import { readLog } from '../webhooks/log-store.ts'
import { readHealth, readUnhealthyEndpoints } from '../webhooks/store.ts'
import { loadDemo } from './demo.ts'

let database: TestDatabase
let dataDir: string
let partnerId: PartnerId
let loadedAt: Date
beforeAll(async () => {
  dataDir = await temporaryDirectory()
  database = await createDemoDatabase(dataDir)
  const home = {
    db: database.db,
    storages: storagesOf(directoryStorage({ directory: join(dataDir, 'files') }), null),
    config: { dataDir },
  }
  // Loading again must not create the data twice.
  await loadDemo(home)
  const partner = (await findPartner(database.db, 'sunline-home-energy'))!
  partnerId = partner.id
  loadedAt = partner.createdAt
}, 60_000)
afterAll(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true })
})

test('the demo has questions in each state, and enough answers for a usual response time', async () => {
  for (const state of ['open', 'answered', 'resolved'] as const) {
    const { questions } = await readQuestions(database.db, partnerId, { state, partner: null, cursor: null })
    expect(questions.length).toBeGreaterThanOrEqual(2)
    for (const { authorName } of questions) expect(authorName).toBe('Nora Castellano')
  }
  expect(await readUsualAnswerMs(database.db, partnerId)).toBe(3.5 * hourMs)
})

test('the demo has deliveries of each kind, without sending any', async () => {
  const log = await readLog(database.db, partnerId, { limit: 10_000 })
  const states = new Set(log.map(({ state }) => state))
  expect([...states].toSorted()).toEqual(expect.arrayContaining(['delivered', 'failed', 'retrying']))
  expect(log.every(({ state, dueAt }) => (state === 'retrying') <= (dueAt !== null))).toBe(true)
  const urls = await database.db.$client<{ url: string }[]>`select distinct url from attempts`
  expect(urls.every(({ url }) => new URL(url).hostname.endsWith('.example'))).toBe(true)
  const [made] = await database.db.$client`
    select count(*)::integer as deliveries, count(distinct sequence)::integer as events from deliveries`
  expect(made!['deliveries']).toBe(made!['events'])
})

test('one endpoint works and the other fails, as the overview shows', async () => {
  expect((await readHealth(database.db, partnerId)).map(({ kind, health }) => [kind, health.state])).toEqual([
    ['create', 'working'],
    ['update', 'failing'],
  ])
  expect(await readUnhealthyEndpoints(database.db, partnerId)).toMatchObject([
    { kind: 'update', health: { answer: '503' }, pending: expect.any(Number) as number },
  ])
})

test('tokens are in use, one user is invited, and audit entries are in chronological order', async () => {
  const rows = await database.db.$client`
    select name, sum(requests)::integer as requests, max(last_used_at) is not null as used
    from tokens join token_days on token_id = tokens.id group by name order by name`
  expect(rows.map(({ name, used }) => [name, used])).toEqual([
    ['CRM (demonstration)', true],
    ['Former CRM (demonstration)', true],
    ['Reports (demonstration)', true],
  ])
  expect(rows.every(({ requests }) => requests > 100)).toBe(true)
  expect(await database.db.$client`select from users join links on user_id = users.id`).toHaveLength(1)
  const entries = await database.db.$client<{ action: string; at: Date }[]>`
    select action, at from audit_entries order by id`
  expect(entries.length).toBeGreaterThan(8)
  expect(entries.map(({ at }) => at)).toEqual(
    entries.map(({ at }) => at).toSorted((a, b) => Number(a) - Number(b)),
  )
})

test('hourly figures match the requests and errors of the tokens for each day', async () => {
  // The demo may have been loaded in the previous hour.
  const hours = (await readHours(database.db)).filter(({ hour }) => Number(hour) + hourMs <= Number(loadedAt))
  expect(hours.length).toBeGreaterThan(20)
  expect(hours.every(({ requests, errors }) => requests > 0 && errors < requests)).toBe(true)
  const days = await database.db.$client`
    select day::text, sum(requests)::integer as requests, sum(errors)::integer as errors
    from token_days group by day order by day`
  const counted = await database.db.$client`
    select hour::date::text as day, sum(requests)::integer as requests, sum(errors)::integer as errors
    from health_hours group by 1 order by 1`
  const isUsed = ({ requests }: { requests?: number }) => requests !== 0
  expect(counted.filter(isUsed)).toEqual(days.filter(isUsed))
  expect(days.length).toBe(30)
})

test('all spellings of a stage map to one stage, in process order', async () => {
  const stages = await readAllStages(database.db)
  const keys = stages.map(({ name }) => stageKey(name))
  expect(keys).toContain('siteassessment')
  expect(new Set(keys).size).toBe(keys.length)
  const open = stages.filter(({ kind }) => isMoving(kind))
  const isUntold = ({ place, tone }: Stage) => place === null || tone === 'gray'
  for (const { name } of open.filter(isUntold)) expect(name).toMatch(/^Service /)
  const places = open.flatMap(({ place }) => (place === null ? [] : [placeNames.indexOf(place)]))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

test('no user has two employers', async () => {
  const users = await database.db.$client<{ name: string; partner_id: number | null }[]>`
    select name, partner_id from users where partner_id is not null`
  expect(users.length).toBeGreaterThanOrEqual(3)
  const employees = new Set(
    Object.values(staff(Date.UTC(2026, 2, 1))).flatMap((people) =>
      people.map(({ firstName, lastName }) => `${firstName} ${lastName}`),
    ),
  )
  expect(employees.size).toBeGreaterThan(10)
  expect(users.filter(({ name }) => employees.has(name))).toEqual([])
})

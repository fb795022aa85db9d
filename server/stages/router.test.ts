import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { runDueJobs } from '#e2e/run-due-jobs.ts'
import { signedIn } from '#e2e/signed-in.ts'
import { writeRecords } from '#e2e/write-records.ts'
import { everyone } from '../access/actor.ts'
import type { Role } from '../accounts/role.ts'
import { insertPartner } from '../accounts/store.ts'
import { readEntries } from '../audit/store.ts'
import { toApiError } from '../errors.ts'
import { insightRouter } from '../insight/router.ts'
import { countPageTotals } from '../programs/housekeeping.ts'
import type { Services } from '../runtime/services.ts'
import { searchRouter } from '../search/router.ts'
import { stagesRouter } from './router.ts'
import { saveDescribedStages } from './store.ts'

let database: TestDatabase
let partnerId: number
beforeAll(async () => {
  database = await createTestDatabase()
  partnerId = (await insertPartner(database.db, 'acme', 'Acme'))!.id
  const stages = ['Survey', 'Install', 'Install', 'Ready for M2', 'Cancelled', null]
  await writeRecords(
    database.db,
    partnerId,
    stages.map((stage, index) => ({ id: BigInt(index + 1), stage, amount: 100 })),
  )
})
afterAll(() => database.drop())

async function callers(role: Role, owner = partnerId) {
  const services = { db: database.db, background: () => true } as unknown as Services
  const context = await signedIn(services, { role, partnerId: owner })
  return {
    stages: stagesRouter.createCaller(context),
    deals: searchRouter.createCaller(context),
    insight: insightRouter.createCaller(context),
  }
}

test('all users read the stages, and only operators correct them', async () => {
  const { stages } = await callers('member')
  expect((await stages.list()).map(({ name }) => name)).toContain('Survey')
  for (const role of ['member', 'admin'] as const) {
    const refused = (await callers(role)).stages.set({ name: 'Survey', kind: 'lost' })
    expect(toApiError(await refused.catch((error: unknown) => error)).code).toBe('FORBIDDEN')
  }
})

test('a correction immediately affects the board, the counts and the filters', async () => {
  const { stages } = await callers('operator')
  const { deals } = await callers('member')
  const board = async () =>
    (await deals.board({ filter: {} })).columns.map(({ stage, kind }) => `${stage}: ${kind}`)
  const open = () => deals.count({ filter: { isOpen: true } })
  expect((await board()).at(-1)).toBe('Cancelled: lost')
  expect(await open()).toMatchObject({ count: 5, amount: 500 })

  expect(await stages.set({ name: 'Ready for M2', kind: 'won', tone: 'blue' })).toMatchObject({ kind: 'won' })
  await stages.set({ name: 'Install', order: 5 })
  await stages.set({ name: 'Survey', order: 70 })
  expect(await board()).toEqual([
    ': open',
    'Install: open',
    'Survey: open',
    'Ready for M2: won',
    'Cancelled: lost',
  ])
  expect((await deals.choices({})).stages.map(({ value }) => `${value}:`)).toEqual(
    (await board()).map((column) => column.replace(/ \S+$/, '')),
  )
  expect(await open()).toMatchObject({ count: 4, amount: 400 })
})

test('of two moves based on the same order, the second is rejected', async () => {
  const { stages } = await callers('operator')
  const open = async () => (await stages.list()).filter(({ kind }) => kind === 'open').map(({ name }) => name)
  await stages.set({ name: 'Survey', order: 0 })
  await stages.set({ name: 'Install', order: 10 })
  const [first, second] = await open()
  const move = { name: second!, was: first!, after: null, before: first! }
  const answers = await Promise.allSettled([stages.move(move), stages.move(move)])
  const refused = answers.filter((answer) => answer.status === 'rejected')
  expect(refused.map(({ reason }) => toApiError(reason).code)).toEqual(['PRECONDITION_FAILED'])
  expect(await open()).toEqual([second, first])
  const { entries } = await readEntries(database.db, everyone, {}, { behind: null, limit: 1 })
  expect(entries[0]).toMatchObject({
    action: 'stage.changed',
    subject: `${second} (open, first)`,
    partner: null,
  })
  await stages.move({ name: second!, was: null, after: first!, before: null })
  expect(await open()).toEqual([first, second])
})

test('a confirmation persists, and does not override an explicit choice', async () => {
  const { stages } = await callers('operator')
  const proposed = async () =>
    (await stages.editable()).filter(({ isPlaceProposed }) => isPlaceProposed).map(({ name }) => name)
  expect(await proposed()).toEqual(expect.arrayContaining(['Survey', 'Install']))
  await stages.set({ name: 'Install', place: 'installed' })
  expect(await stages.confirm({ names: ['Survey', 'Install', 'Cancelled'] })).toMatchObject([
    { name: 'Survey', place: 'survey' },
  ])
  expect(await proposed()).not.toContain('Survey')
  expect((await stages.list()).find(({ name }) => name === 'Install')!.place).toBe('installed')
  const refused = stages.confirm({ names: ['Survey', 'Install'] })
  expect(toApiError(await refused.catch((error: unknown) => error)).code).toBe('PRECONDITION_FAILED')
})

test('a correction triggers a recount of stored totals', async () => {
  const owner = (await insertPartner(database.db, 'long', 'Long'))!.id
  const dayMs = 86_400_000
  const now = Date.now()
  const daysAgo = (days: number) => new Date(now - days * dayMs).toISOString()
  const [timeInCurrentStage, fundingSubmitted] = [daysAgo(1), daysAgo(3)]
  const record = { stage: 'Design', timeInCurrentStage, fundingSubmitted }
  const records = Array.from({ length: 20 }, (_, index) => ({ id: BigInt(500 + index), ...record }))
  await writeRecords(database.db, owner, records)
  await database.db.$client`update deal_lists set deal_count = deal_count + 25000 where id = ${owner}`
  const { stages } = await callers('operator')
  const { insight } = await callers('member', owner)
  const services = { db: database.db, replica: null }
  const read = async () => {
    const { usual, asOf } = await insight.money()
    await runDueJobs(database.db, {
      'count-totals': (job, { signal }) => countPageTotals(services, owner, job, signal),
    })
    return { paidAfterDays: usual.payment?.median ?? null, isOld: asOf !== null }
  }
  expect(await read()).toEqual({ paidAfterDays: null, isOld: false })
  await stages.set({ name: 'Design', kind: 'won' })
  expect(await read()).toEqual({ paidAfterDays: null, isOld: true })
  expect(await read()).toEqual({ paidAfterDays: 2, isOld: false })
  await saveDescribedStages(database.db, [{ name: 'Design', kind: 'open', order: 3, probability: null }])
  expect(await read()).toEqual({ paidAfterDays: 2, isOld: true })
  expect(await read()).toEqual({ paidAfterDays: null, isOld: false })
})

test('deals with a null or empty stage share one column and one bar', async () => {
  const owner = (await insertPartner(database.db, 'stageless', 'Stageless'))!.id
  const records = [
    { id: 101n, stage: '', amount: 5 },
    { id: 102n, stage: null, amount: 7 },
    { id: 103n, stage: 'Install', amount: 9 },
  ]
  await writeRecords(database.db, owner, records)
  const { deals } = await callers('member', owner)
  const sums = [
    { stage: '', count: 2, amount: 12 },
    { stage: 'Install', count: 1, amount: 9 },
  ]
  expect((await deals.board({ filter: {} })).columns).toMatchObject(sums)
})

test("a correction changes nothing else, and appears in the installer's audit log", async () => {
  const { stages } = await callers('operator')
  await stages.set({ name: 'Cancelled', order: 3 })
  expect((await stages.list()).find(({ name }) => name === 'Cancelled')).toEqual({
    name: 'Cancelled',
    kind: 'lost',
    place: null,
    order: 3,
    tone: 'gray',
  })
  const {
    entries: [entry],
  } = await readEntries(database.db, everyone, {}, { behind: null, limit: 1 })
  expect(entry).toMatchObject({
    action: 'stage.changed',
    subject: 'Cancelled (lost, order 3, gray)',
    partner: null,
  })
})

test('a chosen color stays until the automatic color is selected', async () => {
  const { stages } = await callers('operator')
  const tone = async () => (await stages.list()).find(({ name }) => name === 'Survey')!.tone
  await stages.set({ name: 'Survey', tone: 'green' })
  await stages.set({ name: 'Survey', kind: 'on-hold' })
  expect(await tone()).toBe('green')
  expect(await stages.set({ name: 'Survey', tone: 'auto' })).toMatchObject({ tone: 'gray' })
  await stages.set({ name: 'Survey', kind: 'open' })
  expect(await tone()).toBe('blue')
})

test('only a stage without deals can be removed or merged', async () => {
  const owner = (await insertPartner(database.db, 'moved', 'Moved'))!.id
  for (const stage of ['Plan check', 'Permit Sent', 'Permit'])
    await writeRecords(database.db, owner, [{ id: 600n, stage }])
  const { stages } = await callers('operator')
  const own = await callers('member', owner)
  const problem = async (refused: Promise<unknown>) => {
    const { code, message, errors } = toApiError(await refused.catch((error: unknown) => error))
    return `${code} ${errors ?? message}`
  }
  const inUse = 'BAD_REQUEST 1 deal is in “Permit”; only a stage without deals can be removed or merged'
  expect(await problem(stages.remove({ name: 'Permit' }))).toBe(inUse)
  expect(await problem(stages.merge({ name: 'Permit', into: 'Permit Sent' }))).toBe(inUse)
  expect(await problem(stages.remove({ name: 'Install' }))).toContain('3 deals are in “Install”')
  expect(await problem(stages.merge({ name: 'Permit Sent', into: 'Nowhere' }))).toBe(
    'NOT_FOUND Stage not found',
  )
  expect(await problem(stages.merge({ name: 'Permit', into: 'Permit' }))).toContain(
    'cannot be merged into itself',
  )
  for (const role of ['member', 'admin'] as const) {
    const caller = await callers(role)
    expect(await problem(caller.stages.remove({ name: 'Plan check' }))).toContain('FORBIDDEN')
    expect(await problem(caller.stages.merge({ name: 'Plan check', into: 'Permit' }))).toContain('FORBIDDEN')
  }
  const unused = (await stages.editable()).filter(({ hasDeals }) => !hasDeals).map(({ name }) => name)
  expect(unused.toSorted()).toEqual(['Permit Sent', 'Plan check'])

  expect(await stages.remove({ name: 'Plan check' })).toMatchObject({ name: 'Plan check' })
  expect(await stages.merge({ name: 'Permit Sent', into: 'Permit' })).toMatchObject({ name: 'Permit' })
  expect((await own.stages.list()).map(({ name }) => name)).toEqual(['Permit'])
  const { entries } = await readEntries(database.db, everyone, {}, { behind: null, limit: 2 })
  expect(entries).toMatchObject([
    { action: 'stage.merged', subject: 'Permit Sent into Permit', partner: null },
    { action: 'stage.removed', subject: 'Plan check', partner: null },
  ])
  expect(await problem(stages.remove({ name: 'Plan check' }))).toBe('NOT_FOUND Stage not found')
})

import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeAll, afterAll, describe, expect, test } from 'vitest'
import { type TestDatabase, createTestDatabase } from '#db/test-database.ts'
import { writeRecords } from '#e2e/write-records.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { insertPartner } from '../accounts/store.ts'
import { writeDeals } from '../deals/deal-writer.ts'
import type { DealRecord } from '../deals/deal.ts'
import { stagesMax } from './stage.ts'
import {
  countDealsLocked,
  deleteStage,
  makeStageMatcher,
  readAllStages,
  readDescribedStages,
  readStages,
  saveDescribedStages,
  saveMerge,
} from './store.ts'

let database: TestDatabase
let partnerId: number
beforeAll(async () => {
  database = await createTestDatabase()
  partnerId = (await insertPartner(database.db, 'acme', 'Acme'))!.id
})
afterAll(() => database.drop())
afterEach(async () => {
  await database.db.$client`truncate deals cascade`
  await database.db.$client`truncate stages cascade`
})

let last = 0n
/** Writes deals as a newly started process would, unless `goesOn` is set. */
async function write(records: Partial<DealRecord>[], options: { dryRun?: boolean; goesOn?: boolean } = {}) {
  const db = options.goesOn ? database.db : freshProcess()
  await writeDeals(
    db,
    records.map((record) => ({ record: { id: ++last, ...record }, partnerId })),
    { now: new Date(), events: true, dryRun: options.dryRun ?? false },
  )
}

/** Returns the same database as seen by a process that has not written anything yet. */
function freshProcess(): TestDatabase['db'] {
  const { $client } = database.db
  const pool = new Proxy($client, {})
  return new Proxy(database.db, {
    get: (db, name, self) => (name === '$client' ? pool : Reflect.get(db, name, self)),
  })
}

const names = async () => (await readAllStages(database.db)).map(({ name }) => name)
const day = '2026-03-01T00:00:00.000Z'

describe('a stored stage', () => {
  test('exists from its first deal on, classified by its name, at the position of its deals', async () => {
    await write([
      { stage: 'Install', createDate: day, siteSurveyCompleted: day, permitReceived: day },
      { stage: 'Cancelled', createDate: day },
      { stage: 'Survey', createDate: day },
      { stage: '' },
      { stage: null },
      {},
    ])
    expect(await readAllStages(database.db)).toEqual([
      { name: 'Survey', kind: 'open', place: 'survey', order: 0, tone: 'blue' },
      { name: 'Install', kind: 'open', place: 'install', order: 10, tone: 'teal' },
      { name: 'Cancelled', kind: 'lost', place: null, order: 0, tone: 'gray' },
    ])
  })

  test('stays as the operator set it, whichever process writes a deal in it', async () => {
    await write([{ stage: 'Funded' }])
    await database.db.$client`update stages set kind = 'open', "order" = 77, tone = 'violet'`
    await write([{ stage: 'Funded' }], { goesOn: true })
    await write([{ stage: 'Funded' }])
    expect(await readAllStages(database.db)).toEqual([
      { name: 'Funded', kind: 'open', place: 'funding', order: 77, tone: 'violet' },
    ])
  })

  test('does not exist if its deals are not written', async () => {
    await write([{ stage: 'Survey' }], { dryRun: true })
    await expect(
      write([
        { id: 1n, stage: 'Survey' },
        { id: 2n ** 70n, stage: 'Survey' },
      ]),
    ).rejects.toThrow()
    expect(await names()).toEqual([])
    await write([{ stage: 'Survey' }])
    expect(await names()).toEqual(['Survey'])
  })

  test('is created when a deal moves to it', async () => {
    await write([{ id: 900n, stage: 'Survey' }])
    await write([{ id: 900n, stage: 'Design' }])
    expect(await names()).toEqual(expect.arrayContaining(['Survey', 'Design']))
  })

  test('is not created for long texts, or for hundreds of names', async () => {
    await write([{ stage: 'x'.repeat(201) }, { stage: '🌞'.repeat(100) }])
    expect(await names()).toEqual(['🌞'.repeat(100)])
    await write(Array.from({ length: stagesMax + 5 }, (_, index) => ({ stage: `Note ${index}` })))
    expect(await names()).toHaveLength(stagesMax)
  })
})

test('a partner sees the current and former stages of its own deals', async () => {
  const other = (await insertPartner(database.db, 'other', 'Other'))!.id
  const shownTo = async (partner: number) =>
    (await readStages(database.db, partner as PartnerId)).map(({ name }) => name)
  await write([{ id: 901n, stage: 'Survey' }, { stage: 'Theirs alone' }])
  await writeDeals(
    freshProcess(),
    [
      { record: { id: 901n, stage: 'Survey' }, partnerId: other },
      { record: { id: 902n, stage: 'Nobody yet' }, partnerId: null },
    ],
    { now: new Date(), events: false },
  )
  expect(await shownTo(other)).toEqual(['Survey'])
  expect(await shownTo(partnerId)).toEqual(['Theirs alone', 'Survey'])
  await writeRecords(database.db, other, [{ id: 902n }])
  expect(await shownTo(other)).toEqual(['Nobody yet', 'Survey'])
})

test('a removed stage is added again with its next deal, even by a process that knew it before', async () => {
  await write([{ id: 903n, stage: 'Survey' }], { goesOn: true })
  await write([{ id: 903n, stage: 'Design' }], { goesOn: true })
  const removed = await database.db.transaction((tx) => deleteStage(tx, 'Survey'))
  expect(removed).toMatchObject({ name: 'Survey', kind: 'open' })
  expect(await names()).toEqual(['Design'])
  expect(await readStages(database.db, partnerId as PartnerId)).toMatchObject([{ name: 'Design' }])
  await write([{ stage: 'Survey' }], { goesOn: true })
  expect(await readStages(database.db, partnerId as PartnerId)).toMatchObject([
    { name: 'Survey' },
    { name: 'Design' },
  ])
})

test('no deal can enter a stage between its count and its removal', async () => {
  await write([{ id: 904n, stage: 'Survey' }])
  await write([{ id: 904n, stage: 'Design' }])
  const counted = Promise.withResolvers<number>()
  const mayRemove = Promise.withResolvers<void>()
  const removal = database.db.transaction(async (tx) => {
    counted.resolve(await countDealsLocked(tx, 'Survey'))
    await mayRemove.promise
    return deleteStage(tx, 'Survey')
  })
  expect(await counted.promise).toBe(0)
  let isWritten = false
  const writing = write([{ id: 904n, stage: 'Survey' }]).then(() => (isWritten = true))
  await setTimeout(200)
  expect(isWritten).toBe(false)
  mayRemove.resolve()
  await Promise.all([removal, writing])
  expect(await names()).toEqual(['Survey', 'Design'])
})

test('a merged name follows when the target stage is merged as well', async () => {
  for (const stage of ['Permit Sent', 'Permit Out', 'Permit Submitted']) await write([{ id: 905n, stage }])
  const merge = (name: string, into: string) => database.db.transaction((tx) => saveMerge(tx, name, into))
  expect(await merge('Permit Sent', 'Permit Out')).toMatchObject({ name: 'Permit Out' })
  expect(await merge('Permit Out', 'Permit Submitted')).toMatchObject({ name: 'Permit Submitted' })
  expect(await names()).toEqual(['Permit Submitted'])
  const matcher = await makeStageMatcher(database.db)
  for (const spelling of ['permit sent', 'Permit Out'])
    expect(matcher.match(spelling)).toEqual({ name: 'Permit Submitted' })
  expect(await merge('Permit Sent', 'Permit Submitted')).toBeUndefined()
})

test('stages described by a CRM keep their existing order', async () => {
  await write([{ stage: 'Permit Submitted' }, { stage: 'Install' }])
  await database.db
    .$client`update stages set "order" = case name when 'Install' then 5 else 6 end, kind = 'on-hold'`
  const described = ['Permit Submitted', 'Plan check', 'Install'].map((name, index) => ({
    name,
    kind: 'open' as const,
    order: index * 10,
    probability: 0.5,
  }))
  await saveDescribedStages(database.db, described, new Set(['Permit Submitted', 'Plan check']))
  expect(await readDescribedStages(database.db)).toMatchObject([
    { name: 'Permit Submitted', kind: 'open', order: 6, probability: 0.5 },
    { name: 'Plan check', kind: 'open', order: 16, probability: 0.5 },
    { name: 'Install', kind: 'on-hold', order: 5, probability: null },
  ])
  await saveDescribedStages(database.db, described)
  expect(await names()).toEqual(['Install', 'Permit Submitted', 'Plan check'])
})

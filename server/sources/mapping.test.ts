import { describe, expect, test } from 'vitest'
import type { TestDatabase } from '#db/test-database.ts'
import { connectStandIn, useStandIn } from '#e2e/crm/connected.ts'
import type { StandIn } from '#e2e/crm/stand-in.ts'
import { insertPartner } from '../accounts/store.ts'
import * as actions from './actions.ts'
import type { CrmDirectory } from './crm-source.ts'
import { readTrial } from './trial-store.ts'
import { fitOf } from './try-mapping.ts'

let database: TestDatabase
let crm: StandIn

useStandIn((used) => ({ database, crm } = used))

const property = (name: string, type: 'string' | 'number' = 'string') =>
  [name, { name, label: name, type, isList: false, labels: new Map<string, string>() }] as const

describe('the fit of a property for a field', () => {
  const directory: CrmDirectory = {
    properties: new Map([property('price', 'number'), property('dealstage'), property('pipeline')]),
    people: new Map(),
    teams: new Map(),
    stages: [
      {
        pipelineId: 'p',
        pipeline: 'Solar',
        stageId: '7',
        stage: 'Permit',
        kind: 'open',
        order: 0,
        probability: null,
      },
    ],
  }
  const records = ['12.50', '', 'a lot', '12.50', '9', '8', '7'].map((price, index) => ({
    id: String(index + 1),
    modifiedMs: 1,
    values: { price, dealstage: '7', pipeline: 'p' },
  }))

  test('has three distinct sample values, invalid ones first, with the reason', () => {
    expect(fitOf('amount', 'price', records, directory)).toEqual({
      records: 7,
      filled: 6,
      examples: [
        { value: 'a lot', becomes: null },
        { value: '12.50', becomes: '12.5' },
        { value: '9', becomes: '9' },
      ],
      misfits: 1,
      reason: '“a lot” is not a number; use one such as 30800.50',
    })
  })

  test('shows a stage and a pipeline by label, and accepts any text as a partner', () => {
    expect(fitOf('stageId', 'dealstage', records, directory).examples).toEqual([
      { value: '7', becomes: 'Permit' },
    ])
    expect(fitOf('pipelineId', 'pipeline', records, directory).examples).toEqual([
      { value: 'p', becomes: 'Solar' },
    ])
    expect(fitOf('partner', 'price', records, directory)).toMatchObject({ filled: 6, misfits: 0 })
  })
})

async function makeLoaded() {
  const source = await connectStandIn(database.db, crm)
  const ids = ['1', '2', 'x'].map((system_size, index) =>
    crm.create({ dealname: `Deal ${index}`, system_size, city: 'Phoenix', amount: '5' }),
  )
  await source.read()
  return { ...source, ids }
}

const changed = { dealname: 'dealname', stageId: 'dealstage', city: 'state', amount: 'system_size' }

test('a trial of a mapping reports its changes by field, without writing any', async () => {
  const { id, context, read, stored, ids } = await makeLoaded()
  await actions.tryMapping(context, { id, mapping: changed, partnerProperty: null })
  expect(await readTrial(database.db, id)).toMatchObject({ mapping: changed, result: null })
  await read()
  const { result } = (await readTrial(database.db, id))!
  expect(result).toMatchObject({ read: 3, created: 0, updated: 3, unchanged: 0, rejected: 0, unreadable: 1 })
  expect(result!.rejects).toMatchObject([
    {
      id: ids[2],
      name: 'Deal 2',
      reason: expect.stringMatching(/^amount \(system_size\) “.*” is not a number/),
    },
  ])
  expect(result!.fields).toMatchObject([
    { field: 'city', count: 3, examples: [{ from: '"Phoenix"', to: 'null' }, {}, {}] },
    { field: 'amount', count: 2, examples: [{ from: '5', to: '1' }, {}] },
  ])
  expect(await stored(ids[0]!)).toMatchObject({ city: 'Phoenix', amount: 5 })
  await actions.dropTrial(context, id)
  expect(await readTrial(database.db, id)).toBeNull()
})

test('an applied mapping updates all deals, even those unchanged in the source', async () => {
  const { id, context, read, stored, ids } = await makeLoaded()
  await actions.setMapping(context, { id, mapping: changed, partnerProperty: null })
  expect(await read()).toMatchObject({ compared: 3, updated: 3, comparingAfter: null })
  expect(await stored(ids[0]!)).toMatchObject({ city: null, amount: 1 })
})

test('a mapping applied without webhooks writes no events, while source changes still do', async () => {
  const { id, context, read, compare, assign, stored } = await connectStandIn(database.db, crm)
  const partner = (await insertPartner(database.db, `p${crypto.randomUUID()}`, 'Acme'))!
  const make = (system_size: string, modifiedMs?: number) =>
    crm.create({ partner: 'A', dealname: 'A deal', system_size, city: 'Phoenix', amount: '5' }, modifiedMs)
  const old = make('1', Date.now() - 3_600_000)
  const [still, unreadable, moved] = [make('2'), make('x'), make('4')]
  await assign('A', partner)
  await read()
  const eventsOf = async () => {
    const rows = await database.db.$client<{ dealId: string; type: string }[]>`
      select deal_id as "dealId", type from events where partner_id = ${partner.id} order by sequence`
    return rows.map(({ dealId, type }) => `${type} ${dealId}`)
  }
  const mapping = { dealname: 'dealname', city: 'city', amount: 'system_size' }
  await actions.setMapping(context, { id, mapping, partnerProperty: 'partner', events: false })
  // Runs after changes have been read and before the comparison reaches the changed records.
  crm.fault = (path) => {
    if (path === '/crm/v3/objects/deals' && !isChanged) {
      isChanged = true
      crm.change(moved!, { city: 'Mesa' }, Date.now() + 5)
      made = make('6', Date.now() + 5)
    }
    return undefined
  }
  let isChanged = false
  let made = ''
  expect(await read()).toMatchObject({ isQuiet: false, comparingAfter: null, problem: null })
  expect(isChanged).toBe(true)
  expect(await eventsOf()).toEqual([])
  expect([await stored(old), await stored(still!)]).toMatchObject([{ amount: 1 }, { amount: 2 }])
  await new Promise((resolve) => setTimeout(resolve, 20))
  await read()
  expect(await eventsOf()).toEqual([`deal.updated ${moved}`, `deal.created ${made}`])
  expect(await stored(moved!)).toMatchObject({ city: 'Mesa', amount: 4 })
  // The next comparison runs as usual.
  crm.fault = () => undefined
  await actions.setMapping(context, {
    id,
    mapping: { ...mapping, city: 'state' },
    partnerProperty: 'partner',
  })
  await compare()
  expect((await eventsOf()).slice(2).toSorted()).toEqual(
    [old, still, unreadable, moved, made].map((deal) => `deal.updated ${deal}`).toSorted(),
  )
  expect(await stored(unreadable!)).toMatchObject({ amount: 5 })
})

test('a mapping applied during a first load restarts the load', async () => {
  const { id, context, read, stored } = await connectStandIn(database.db, crm)
  const ids = Array.from({ length: 450 }, () => crm.create({ city: 'Phoenix', system_size: '7' }))
  let searches = 0
  crm.fault = (path) => (path.endsWith('/search') && ++searches > 1 ? { status: 502 } : undefined)
  expect(await read()).toMatchObject({ loadedAt: null, windowRead: 200 })
  crm.fault = () => undefined
  await actions.setMapping(context, { id, mapping: { systemSize: 'city' }, partnerProperty: null })
  expect(await read()).toMatchObject({ windowRead: 450, problem: null })
  expect(await stored(ids[0]!)).toMatchObject({ systemSize: 'Phoenix' })
})

test('a process that still uses the previous mapping loses the source', async () => {
  const { id, context, read, stored, ids } = await makeLoaded()
  await actions.compareSource(context, id)
  let isApplied = false
  crm.fault = (path) => {
    if (!path.endsWith('/search') || isApplied) return undefined
    isApplied = true
    void actions.setMapping(context, { id, mapping: { city: 'state' }, partnerProperty: null })
    return { status: 503 }
  }
  await read({ pace: { searchMs: 0, anyMs: 0, retryMs: 400 } })
  await read()
  expect(await stored(ids[0]!)).toMatchObject({ city: null })
})

test('rejects a property missing from the source', async () => {
  const { id, context } = await makeLoaded()
  const unknown = { id, mapping: { city: 'town' }, partnerProperty: null }
  await expect(actions.setMapping(context, unknown)).rejects.toThrow('The source has no town')
  await expect(actions.tryMapping(context, unknown)).rejects.toThrow('The source has no town')
})

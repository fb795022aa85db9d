import { expect, test, beforeEach, describe } from 'vitest'
import { connect, crm, database, makePartner, useStandIn } from '#e2e/crm/connected.ts'
import { readAllStages } from '../stages/store.ts'
import * as actions from './actions.ts'
import { readAsOf } from './as-of-store.ts'
import type { CrmDirectory } from './crm-source.ts'
import { readTrial } from './trial-store.ts'
import { planStages, fitOf } from './try-mapping.ts'

useStandIn()
beforeEach(() => database.db.$client`delete from stages`)

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
  const source = await connect()
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

test('a mapping applied without webhooks writes no events, while source changes still do', async () => {
  const { id, context, read, compare, assign, stored } = await connect()
  const partner = await makePartner()
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
  const { id, context, read, stored } = await connect()
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

const look = () => connect(actions.startSourceTrial)
const known = async () => (await readAllStages(database.db)).map(({ name }) => name)
const resultOf = async (id: number) => (await readTrial(database.db, id))!.result!

test('a trial source reports its content, and writes nothing before it is connected', async () => {
  await database.db.$client`
    insert into stages (name, kind, "order", tone) values ('permit submitted', 'open', 5, ''), ('Survey', 'open', 6, '')`
  const { id, context, read, stored } = await look()
  const deals = [
    crm.create({ dealname: 'One', amount: '5', dealstage: '1001', partner: 'A' }),
    crm.create({ dealname: 'Two', city: 'Mesa', dealstage: '1002', partner: '' }),
    crm.create({ dealname: 'Three', amount: 'a lot', partner: ' ' }),
  ]
  expect(await read()).toMatchObject({ connectedAt: null, problem: null, created: 0 })
  const result = await resultOf(id)
  expect(result).toMatchObject({
    read: 3,
    created: 3,
    updated: 0,
    unchanged: 0,
    rejected: 0,
    unreadable: 1,
    otherValues: 0,
  })
  const filled = new Map(result.filled.map(({ field, count }) => [field, count]))
  expect([filled.get('amount'), filled.get('city'), filled.get('partner')]).toEqual([2, 1, 1])
  expect(result.stages).toMatchObject([
    { name: 'Site Survey', deals: 1, added: { likely: ['Survey'], after: null } },
    { name: 'permit submitted', deals: 1 },
    { name: 'Install Scheduled', deals: 1, added: { after: 'permit submitted' } },
    { name: 'Funded', added: { after: null } },
    { name: 'Cancelled', added: { after: null } },
  ])
  expect(result.stages[1]).not.toHaveProperty('added')
  expect(result.values).toEqual([
    { value: '', deals: 2 },
    { value: 'A', deals: 1 },
  ])
  expect(await stored(deals[0]!)).toBeUndefined()
  expect(await known()).toEqual(['permit submitted', 'Survey'])
  expect(await readAsOf(database.db)).toBeNull()
  // Reads again when the source is next due.
  await read()
  expect(await stored(deals[0]!)).toBeUndefined()

  await actions.connectLookedAt(context, id)
  expect(await readTrial(database.db, id)).toBeNull()
  expect(await read()).toMatchObject({ created: 3, problem: null })
  expect(await stored(deals[0]!)).toMatchObject({ stage: 'permit submitted' })
  expect(await known()).toEqual(
    expect.arrayContaining(['Site Survey', 'permit submitted', 'Install Scheduled', 'Survey']),
  )
  await expect(actions.connectLookedAt(context, id)).rejects.toThrow('Source')
})

test('a mapping and partners set in a trial apply to the next trial and to the connection', async () => {
  const partner = await makePartner()
  const { id, context, read, stored, assign } = await look()
  const deal = crm.create({ dealname: 'One', system_size: '7', amount: '5', partner: '' })
  await read()
  await actions.setMapping(context, {
    id,
    mapping: { dealname: 'dealname', amount: 'system_size' },
    partnerProperty: 'partner',
  })
  expect(await readTrial(database.db, id)).toMatchObject({ result: null })
  await assign('', partner)
  await read()
  expect((await resultOf(id)).filled.map(({ property }) => property)).toEqual([
    'partner',
    'dealname',
    'system_size',
  ])
  await actions.restartSourceTrial(context, id)
  await read()
  expect(await resultOf(id)).toMatchObject({ created: 1 })
  expect(await stored(deal)).toBeUndefined()
  await actions.connectLookedAt(context, id)
  await read()
  expect(await stored(deal)).toMatchObject({ amount: 7, partnerId: partner.id })
})

test('existing deals are compared with the source in a trial', async () => {
  const first = await connect()
  const deal = crm.create({ dealname: 'One', amount: '5' })
  crm.create({ dealname: 'Two' })
  await first.read()
  // After disconnecting, the deals remain.
  const { id, read, stored } = await look()
  crm.change(deal, { amount: '6' })
  await read()
  expect(await resultOf(id)).toMatchObject({
    read: 2,
    created: 0,
    updated: 1,
    unchanged: 1,
    fields: [{ field: 'amount', count: 1 }, { field: 'lastModified' }],
  })
  expect(await stored(deal)).toMatchObject({ amount: 5 })
})

test('without a partner property, deals keep their partner, unless all are assigned to one partner', async () => {
  const [owner, all] = [await makePartner(), await makePartner()]
  const { id, context, read, compare, stored, assign } = await connect()
  const deal = crm.create({ dealname: 'One', partner: 'A' })
  await assign('A', owner)
  await read()
  await actions.setMapping(context, { id, mapping: { dealname: 'dealname' }, partnerProperty: null })
  await compare()
  expect(await stored(deal)).toMatchObject({ partnerId: owner.id })
  await assign('', all)
  await read()
  expect(await stored(deal)).toMatchObject({ partnerId: all.id })
})

test('shows the effects of connecting without storing a source', async () => {
  const { context } = await connect()
  await database.db.$client`delete from sources`
  crm.create({ dealname: 'One' })
  const connection = { kind: 'hubspot' as const, name: 'HubSpot', secret: crm.token }
  expect(await actions.previewSource(context, connection)).toMatchObject({ read: 1, created: 1 })
  expect(await database.db.$client`select id from sources`).toEqual([])
  expect(await known()).toEqual([])
})

const stage = (name: string, order: number) => ({ name, order, kind: 'open' as const, tone: 'gray' as const })
const described = (name: string, order: number, kind: 'open' | 'won' = 'open') => ({
  name,
  order,
  kind,
  probability: null,
  pipeline: 'default',
})

test('describes new stages with position, similar stages, and number of deals', () => {
  const ours = [stage('Survey', 10), stage('Permit Submitted', 20)]
  const theirs = [
    described('Survey', 0),
    described('Plan check', 10),
    described('Permit Submited', 30),
    described('Funded', 40, 'won'),
  ]
  const deals = new Map([
    ['Survey', 3],
    ['Funded', 2],
    ['A note', 1],
  ])
  expect(planStages(ours, theirs, deals)).toEqual([
    { name: 'Survey', deals: 3 },
    { name: 'Plan check', deals: 0, added: { likely: [], after: 'Survey' } },
    { name: 'Permit Submited', deals: 0, added: { likely: ['Permit Submitted'], after: 'Plan check' } },
    { name: 'Funded', deals: 2, added: { likely: [], after: null } },
    { name: 'A note', deals: 1, added: { likely: [] } },
  ])
})
